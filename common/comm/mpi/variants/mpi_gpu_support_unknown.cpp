#include "comm/mpi/mpi_gpu_support.hpp"

namespace quartet::comm {

std::optional<std::string> why_mpi_reaches_no_gpu() {
    return "this MPI cannot be asked whether it has CUDA support";
}

}  // namespace quartet::comm
