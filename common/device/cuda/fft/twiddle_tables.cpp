#include "device/cuda/fft/twiddle_tables.hpp"

#include <vector>

#include "core/roots_of_unity.hpp"

namespace quartet::device {

namespace {

Buffer<double2> upload(const std::vector<double2>& values, CudaMemory& memory) {
    const auto count = static_cast<std::int64_t>(values.size());
    Buffer<double2> buffer(memory.allocate(bytes_of<double2>(count), MemoryKind::device), count);
    memory.copy_now(as_bytes(View<const double2>(values.data(), count, MemoryKind::host)),
                    as_bytes(buffer.view()));
    return buffer;
}

/// The powers 0, step, 2 step and so on, `count` of them.
std::vector<double2> powers(const RootsOfUnity& roots, std::int64_t step, std::int64_t count) {
    std::vector<double2> table;
    table.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto root = roots(static_cast<std::uint64_t>(i * step % roots.order()));
        table.push_back({root.real(), root.imag()});
    }
    return table;
}

}  // namespace

TwiddleTables::TwiddleTables(std::int64_t order, CudaMemory& memory)
    : split_(split_twiddles(order)) {
    const RootsOfUnity twiddles(order);
    coarse_ = upload(powers(twiddles, split_.fine_entries(), split_.coarse_entries(order)), memory);
    fine_ = upload(powers(twiddles, 1, split_.fine_entries()), memory);
}

Bytes TwiddleTables::memory(std::int64_t order) {
    const TwiddleSplit split = split_twiddles(order);
    return bytes_of<double2>(split.fine_entries() + split.coarse_entries(order));
}

}  // namespace quartet::device
