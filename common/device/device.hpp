#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/blas.hpp"
#include "device/fft.hpp"
#include "device/four_step_fft.hpp"
#include "device/matrix.hpp"
#include "device/memory.hpp"
#include "device/recording.hpp"
#include "device/stream.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

/// One device of one rank: memory, streams, and whole BLAS, FFT, vector and copy operations on
/// them. Calls are on blocks, so a virtual call is noise. Used by the main thread only.
class Device {
  public:
    virtual ~Device() = default;

    /// "host" or "cuda", as on the command line.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Model and libraries, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
    /// The kind of memory that operations work on.
    [[nodiscard]] virtual MemoryKind memory_kind() const = 0;

    /// Memory of at least `size` bytes, aligned to 64 bytes or more, zeroed. Large host memory asks
    /// for huge pages. Throws Failure when there is none.
    virtual Allocation allocate(Bytes size, MemoryKind kind) = 0;

    /// A new stream whose spans go to a track of that name.
    virtual std::unique_ptr<Stream> make_stream(std::string name,
                                                StreamKind kind = StreamKind::compute) = 0;
    virtual std::unique_ptr<Event> make_event() = 0;

    /// Equal sizes, no overlap; else Failure. Accounted to copy_out where only `from` is on the
    /// device, else to copy_in.
    virtual void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) = 0;
    /// How long `enqueue` takes to be done, on average, where it is called `times` times in a row
    /// on an idle stream. On a GPU it is called once more before that, and then timed by the GPU's
    /// own clock while the stream is held until the work is there, so that enqueueing it is not
    /// measured; `enqueue` puts at most four operations on it then, and no work of the host.
    virtual Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) = 0;
    /// Borrows what the operations use, and may call them now, or at each run.
    virtual std::unique_ptr<Recording> record(Operations operations) = 0;
    virtual Blas& blas() = 0;
    virtual VectorOperations& vectors() = 0;
    virtual std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) = 0;
    /// The passes of a transform that is split over ranks. Throw Failure for a split that is none.
    virtual std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& split) = 0;
    virtual std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& split) = 0;
    virtual std::unique_ptr<Transpose> plan_transpose(const FourStepFft& split) = 0;
    virtual std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft& split) = 0;
    /// Null where the device cannot sum this split's tiles in groups.
    virtual std::unique_ptr<PartialRowFfts> plan_partial_row_ffts(const FourStepFft&) {
        return nullptr;
    }
    /// What they take together, at most, beyond the views that they work on.
    [[nodiscard]] virtual Bytes four_step_fft_memory(const FourStepFft& split) const = 0;
    /// One pass for one rank's transform, where that is faster than a tile pass and a combine pass,
    /// and what it takes: else null, and nothing.
    virtual std::unique_ptr<SingleRankFft> plan_single_rank_fft(const FourStepFft&) {
        return nullptr;
    }
    [[nodiscard]] virtual std::optional<Bytes> single_rank_fft_memory(const FourStepFft&) const {
        return std::nullopt;
    }

    /// A share of zeros. Throws Failure where there is no memory, or for shapes that do not exist.
    virtual std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) = 0;
    virtual std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) = 0;
    /// Memory that such a share takes, with what its products need.
    [[nodiscard]] virtual Bytes matrix_memory(const RowBlock& block) const = 0;
    [[nodiscard]] virtual Bytes matrix_memory(const TrianglePart& part) const = 0;
};

/// `count` elements of T from `device`.
template <typename T>
Buffer<T> allocate(Device& device, std::int64_t count, MemoryKind kind) {
    return {device.allocate(bytes_of<T>(count), kind), count};
}
template <typename T>
Buffer<T> allocate(Device& device, std::int64_t count) {
    return allocate<T>(device, count, device.memory_kind());
}

}  // namespace quartet::device
