#pragma once

#include "core/units.hpp"

namespace quartet::comm {

/// Between two polls of a rank that has `waited` so long for a message: where ranks share a core,
/// the one that is waited for must get it. In a simulation, where polls alone take no time to speak
/// of, some time passes: a small part of what was waited.
void idle(Seconds waited);

}  // namespace quartet::comm
