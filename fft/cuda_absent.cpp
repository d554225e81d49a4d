#include "fft/problem.hpp"

namespace quartet::fft {

std::unique_ptr<FftFactory> make_cuda_ffts(Bytes) {
    throw Unavailable("not available in this build: the CUDA device");
}

void fill_tiles_on_gpu(device::View<Point>, std::uint64_t, const Problem&, std::int64_t,
                       device::Stream&) {
    throw Unavailable("not available in this build: the CUDA device");
}

}  // namespace quartet::fft
