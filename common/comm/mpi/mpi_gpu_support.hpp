#pragma once

#include <optional>
#include <string>

namespace quartet::comm {

/// Why this MPI cannot be given memory of a GPU, or nothing: asked of the library that runs, where
/// it can be asked. Local; MPI is initialised.
std::optional<std::string> why_mpi_reaches_no_gpu();

}  // namespace quartet::comm
