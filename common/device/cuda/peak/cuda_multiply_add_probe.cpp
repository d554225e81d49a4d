#include "device/cuda/peak/multiply_add_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {

namespace {

class CudaMultiplyAddProbe final : public MultiplyAddProbe {
  public:
    CudaMultiplyAddProbe(FloatFormat format, CudaMemory& memory)
        : format_(format),
          blocks_(multiply_add_blocks * gpu_attribute(cudaDevAttrMultiProcessorCount)),
          result_(memory.allocate(bytes_of<double>(1), MemoryKind::device), 1) {}

    // Calls with too few steps find the number of steps that takes about `time`.
    [[nodiscard]] double measure(Seconds time, Stream& stream) override {
        constexpr double most_growth = 50;
        Seconds took = time_of(stream);
        for (int tries = 0; took < 0.5 * time && tries < 8; ++tries) {
            const double growth = std::clamp(time / took, 1.5, most_growth);
            steps_ = std::llround(growth * static_cast<double>(steps_));
            took = time_of(stream);
        }
        return multiply_add_operations(steps_) * blocks_ * block_threads / took.value;
    }

  private:
    Seconds time_of(Stream& stream) {
        CudaStream& cuda = as_cuda(stream);
        const auto launch = [&] {
            cuda.launch(Phase::compute, "multiply-add", [&](cudaStream_t handle) {
                launch_multiply_add(format_, steps_, blocks_, result_.view().data(), handle);
            });
        };
        return gated_time(1, launch, cuda);
    }

    FloatFormat format_;
    int blocks_;
    Buffer<double> result_;
    std::int64_t steps_ = 16;
};

}  // namespace

std::unique_ptr<MultiplyAddProbe> make_cuda_multiply_add_probe(FloatFormat format,
                                                               CudaMemory& memory) {
    return std::make_unique<CudaMultiplyAddProbe>(format, memory);
}

}  // namespace quartet::device
