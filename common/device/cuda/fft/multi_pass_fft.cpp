#include "device/cuda/fft/multi_pass_fft.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/roots_of_unity.hpp"
#include "device/cuda/runtime/cuda_check.hpp"

namespace quartet::device {

namespace {

Buffer<double2> pair_buffer(std::int64_t count, CudaMemory& memory) {
    return {memory.allocate(bytes_of<double2>(count), MemoryKind::device), count};
}

std::string length(int log) {
    return fmt::format("2^{}", log);
}

}  // namespace

void DestroyStream::operator()(cudaStream_t stream) const {
    ignore(cudaStreamDestroy(stream));
}

PassLauncher::PassLauncher(CudaMemory& memory)
    : roots_(pair_buffer(fft_root_entries, memory)),
      multiprocessors_(gpu_attribute(cudaDevAttrMultiProcessorCount)) {
    cudaStream_t stream = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    other_lane_.reset(stream);
    std::vector<double2> table(static_cast<std::size_t>(fft_root_entries));
    for (std::int64_t order = 1; order < fft_root_entries; order *= 2) {
        const RootsOfUnity roots(order);
        for (std::int64_t j = 0; j < order; ++j) {
            const auto root = roots(static_cast<std::uint64_t>(j));
            table[static_cast<std::size_t>(order + j)] = {root.real(), root.imag()};
        }
    }
    memory.copy_now(as_bytes(View<const double2>(table.data(), fft_root_entries, MemoryKind::host)),
                    as_bytes(roots_.view()));
}

void PassLauncher::run(cudaStream_t stream, const std::function<void(const LaunchPass&)>& enqueue) {
    bool in_lanes = false;
    enqueue([&](const FftPassShape& shape, const FftPass& pass, std::optional<int> lane) {
        check(has_fft_pass(shape), "fft: no kernel of a pass");
        if (lane && !in_lanes) {
            cuda_check(cudaEventRecord(began_.handle(), stream), "cudaEventRecord");
            cuda_check(cudaStreamWaitEvent(other_lane_.get(), began_.handle(), 0),
                       "cudaStreamWaitEvent");
            in_lanes = true;
        }
        launch_fft_pass(shape, pass, multiprocessors_,
                        lane.value_or(0) == 0 ? stream : other_lane_.get());
    });
    if (in_lanes) {
        cuda_check(cudaEventRecord(ended_.handle(), other_lane_.get()), "cudaEventRecord");
        cuda_check(cudaStreamWaitEvent(stream, ended_.handle(), 0), "cudaStreamWaitEvent");
    }
}

Bytes PassLauncher::memory() {
    return bytes_of<double2>(fft_root_entries);
}

std::optional<FftSplit> split_on_gpu(std::int64_t points) {
    return has_fft_passes() ? split_fft(points, gpu_attribute(cudaDevAttrL2CacheSize))
                            : std::nullopt;
}

std::optional<ColumnSplit> split_on_gpu(std::int64_t tiles, std::int64_t columns) {
    return has_fft_passes() ? split_columns(tiles, columns, gpu_attribute(cudaDevAttrL2CacheSize))
                            : std::nullopt;
}

MultiPassFft::MultiPassFft(const FftSplit& split, CudaMemory& memory)
    : split_(split),
      launcher_(memory),
      work_(pair_buffer(std::int64_t{1} << split.points(), memory)),
      scratch_(pair_buffer(split.scratch(), memory)) {}

void MultiPassFft::run(const double2* from, double2* to, cudaStream_t stream) {
    const FftBuffers buffers{from, work_.view().data(), scratch_.view().data(), to,
                             launcher_.roots()};
    launcher_.run(stream,
                  [&](const LaunchPass& launch) { for_each_pass(split_, buffers, launch); });
}

std::string MultiPassFft::description() const {
    std::string text = "our passes of " + length(split_.first);
    if (split_.middle > 0)
        text += " x " + length(split_.middle);
    return text + " x " + length(split_.last) + " points";
}

Bytes MultiPassFft::memory(const FftSplit& split) {
    return PassLauncher::memory() + bytes_of<double2>(std::int64_t{1} << split.points()) +
           bytes_of<double2>(split.scratch());
}

MultiPassColumns::MultiPassColumns(const ColumnSplit& split, CudaMemory& memory)
    : split_(split), launcher_(memory), scratch_(pair_buffer(split.scratch(), memory)) {}

void MultiPassColumns::run(double2* points, cudaStream_t stream) {
    launcher_.run(stream, [&](const LaunchPass& launch) {
        for_each_pass(split_, points, scratch_.view().data(), launcher_.roots(), launch);
    });
}

std::string MultiPassColumns::description() const {
    std::string text = "our columns of " + length(split_.first);
    if (split_.second > 0)
        text += " x " + length(split_.second);
    return text + " points";
}

Bytes MultiPassColumns::memory(const ColumnSplit& split) {
    return PassLauncher::memory() + bytes_of<double2>(split.scratch());
}

}  // namespace quartet::device
