#pragma once

#include <optional>
#include <string>

namespace quartet::comm {

/// Why this MPI cannot send and receive memory of a GPU, or nothing. Asks the library at run time
/// if it has a call for that. Local; MPI is initialised.
std::optional<std::string> why_mpi_reaches_no_gpu();

}  // namespace quartet::comm
