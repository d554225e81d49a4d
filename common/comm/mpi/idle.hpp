#pragma once

#include "core/units.hpp"

namespace quartet::comm {

/// Yields the core between two polls for a message, so that ranks that share a core progress. In a
/// simulation, where polls take no time, it advances the clock by a small part of what the rank has
/// `waited`.
void idle(Seconds waited);

}  // namespace quartet::comm
