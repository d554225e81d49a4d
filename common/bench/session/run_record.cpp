#include "bench/session/run_record.hpp"

#include <algorithm>
#include <cstdlib>

namespace quartet::bench {

RunRecord::RunRecord() : started(std::time(nullptr)), load_average(3) {
    load_average.resize(static_cast<std::size_t>(std::max(0, getloadavg(load_average.data(), 3))));
    for (const char* prefix : {"OMPI_MCA_", "PRTE_", "PMIX_MCA_", "MPICH_", "I_MPI_", "FI_", "UCX_",
                               "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "BLIS_", "MKL_", "SLURM_",
                               "CUDA_", "CUBLAS_", "NVIDIA_", "NCCL_", "QUARTET_"}) {
        environment.record_matching(prefix);
    }
}

}  // namespace quartet::bench
