#include "comm/mpi/mpi_gpu_support.hpp"

#include <mpi.h>

namespace quartet::comm {

std::optional<std::string> why_mpi_reaches_no_gpu() {
    int supported = 0;
    if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS &&
        supported != 0) {
        return std::nullopt;
    }
    return "this MPI was built without CUDA support, or it is switched off "
           "(MPICH_GPU_SUPPORT_ENABLED=1, MPIR_CVAR_ENABLE_GPU=1)";
}

}  // namespace quartet::comm
