#include "comm/mpi/mpi_gpu_support.hpp"

#include <mpi.h>

#include <mpi-ext.h>  // which needs that one

namespace quartet::comm {

std::optional<std::string> why_mpi_reaches_no_gpu() {
    if (MPIX_Query_cuda_support() == 1) {
        return std::nullopt;
    }
    return "this Open MPI was built without CUDA support";
}

}  // namespace quartet::comm
