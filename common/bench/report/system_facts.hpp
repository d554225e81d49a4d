#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// Facts about the first rank's machine that explain the figures: processor, operating system, C
/// library, memory, huge pages, frequency scaling, microcode, BIOS, mitigations. What the system
/// does not tell is left out. Local.
nlohmann::ordered_json system_facts(const Session& session);

}  // namespace quartet::bench
