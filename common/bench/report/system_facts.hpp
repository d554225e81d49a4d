#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// What of the first rank's machine bears on the figures: processor, operating system, C library,
/// memory, huge pages, frequency scaling. What the system does not tell is left out. Local.
nlohmann::ordered_json system_facts(const Session& session);

}  // namespace quartet::bench
