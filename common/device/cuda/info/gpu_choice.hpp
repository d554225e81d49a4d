#pragma once

namespace quartet::device {

/// Which of the GPUs that a rank sees it uses: ranks of a node take them in turn. Launchers that
/// show each rank only its own (CUDA_VISIBLE_DEVICES, Slurm) leave number 0.
constexpr int gpu_of_rank(int local_rank, int visible) {
    return local_rank % visible;
}

}  // namespace quartet::device
