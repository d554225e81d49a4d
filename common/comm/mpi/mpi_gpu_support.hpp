#pragma once

#include <optional>
#include <string>

namespace quartet::comm {

/// Why this MPI cannot send and receive memory of a GPU, or nothing. Asks the library at run time
/// if it has a call for that. QUARTET_MPI_GPU=1 in the environment says that it can: for libraries
/// that do not know, such as an MPI over a UCX with CUDA. Local; MPI must be initialised.
std::optional<std::string> why_mpi_reaches_no_gpu();

}  // namespace quartet::comm
