#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace quartet::bench {

/// How a kernel is written: as the paper's data flow, as well as MPI and the device allow today, or
/// by calling the standard distributed library (for stream and cg: plain MPI).
enum class Formulation { native, dataflow, library };

/// In the order in which they are listed.
inline constexpr std::array all_formulations{Formulation::native, Formulation::dataflow,
                                             Formulation::library};

/// The word of the command line and of row names: "native".
std::string_view name(Formulation formulation);

/// The words of all formulations.
std::vector<std::string> formulation_names();

/// The reverse of name(). Throws UsageError for any other word.
Formulation parse_formulation(std::string_view word);

}  // namespace quartet::bench
