#pragma once

#include <string>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// Checks what --filter is given and returns it. Throws UsageError unless it is a regular
/// expression (ECMAScript's), and a short one.
std::string parse_filter(const std::string& pattern);

/// Leaves in the session's plan only the cases with a row whose name has a match of --filter; all,
/// without that flag. Throws UsageError with the names there are where none is left. Local; the
/// same on all ranks.
void apply_filter(Session& session);

}  // namespace quartet::bench
