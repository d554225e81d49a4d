#pragma once

#include <string_view>

namespace quartet::bench {

/// "quartet 0.1.0 (commit 1a2b3c4)".
std::string_view version_line();
/// "0.1.0".
std::string_view version();
/// The commit that was built, "-dirty" after it if the tree had changes; "unknown" without git.
std::string_view commit();
/// "GNU 12.2.0".
std::string_view compiler();
/// The flags that the suite was compiled with.
std::string_view compiler_flags();
/// "Release".
std::string_view build_type();
/// The vendor and the file of the linked CBLAS.
std::string_view cblas();

}  // namespace quartet::bench
