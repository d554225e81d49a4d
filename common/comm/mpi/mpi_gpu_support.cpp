#include "comm/mpi/mpi_session.hpp"

#include "core/environment.hpp"

// Null if the MPI library has no such function: Open MPI has the first, MPICH the second.
extern "C" {
[[gnu::weak]] int MPIX_Query_cuda_support();
[[gnu::weak]] int MPIX_GPU_query_support(int gpu_type, int* supported);
}

namespace quartet::comm {

std::optional<std::string> why_mpi_reaches_no_gpu() {
    if (Environment().get("QUARTET_MPI_GPU") == "1") {
        return std::nullopt;
    }
    if (MPIX_Query_cuda_support != nullptr) {
        return MPIX_Query_cuda_support() == 1
                   ? std::nullopt
                   : std::optional("this Open MPI was built without CUDA support");
    }
    if (MPIX_GPU_query_support != nullptr) {
        constexpr int cuda = 0;  // MPIX_GPU_SUPPORT_CUDA
        constexpr int success = 0;
        int supported = 0;
        if (MPIX_GPU_query_support(cuda, &supported) == success && supported != 0) {
            return std::nullopt;
        }
        return "this MPI was built without CUDA support, or it is switched off "
               "(MPICH_GPU_SUPPORT_ENABLED=1, MPIR_CVAR_ENABLE_GPU=1)";
    }
    return "this MPI cannot be asked whether it has CUDA support (QUARTET_MPI_GPU=1 says that it "
           "has)";
}

}  // namespace quartet::comm
