#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

class Accelerator;
class Blas;
class MultiplyAddProbe;
class VectorOperations;
enum class FloatFormat;

/// One device of one rank: memory, streams, events, copies, timing, recordings and operations.
/// Operations work on whole blocks of data, so that the cost of a virtual call is negligible. Used
/// by the main thread only.
class Device {
  public:
    virtual ~Device() = default;

    /// The name on the command line: "host", "cuda".
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Model and libraries, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
    /// The instruction set of the loops that the processor runs for it; empty if it runs none.
    [[nodiscard]] virtual std::string_view isa() const { return {}; }
    /// Threads of the CPU that compute, or that make data for a GPU.
    [[nodiscard]] virtual int threads() const = 0;
    /// The kind of memory that operations work on.
    [[nodiscard]] virtual MemoryKind memory_kind() const = 0;

    /// Memory of at least `size` bytes, aligned to 64 bytes or more, zeroed. Large host memory asks
    /// for huge pages. Throws Failure if there is none.
    virtual Allocation allocate(Bytes size, MemoryKind kind) = 0;

    /// A new stream whose spans go to the track `name`.
    virtual std::unique_ptr<Stream> make_stream(std::string name,
                                                StreamKind kind = StreamKind::compute) = 0;
    virtual std::unique_ptr<Event> make_event() = 0;

    /// Enqueues a copy, accounted to copy_out if only `from` is on the device, else to copy_in.
    /// Throws Failure unless the sizes are equal and the views do not overlap.
    virtual void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) = 0;

    /// The mean duration of the work that `enqueue` enqueues, over `times` calls in a row on an
    /// idle stream. A GPU makes one more call first, then measures by its own clock and holds the
    /// stream until all work is enqueued, so that the time contains no launches. There, `enqueue`
    /// must put at most 60 operations on the stream, and no host work.
    virtual Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) = 0;

    /// The same operations, to be enqueued many times on the same memory: a GPU runs them as one
    /// graph of kernels, at the cost of one launch. Values that differ between calls must be read
    /// from memory. Borrows what the operations use; may call `operations` now, or at each call of
    /// the result. These calls must not overlap each other, or other uses of that memory or plan.
    virtual Operations record(Operations operations) = 0;

    /// The operations, which blas.hpp and vector_operations.hpp declare. Operations that one kernel
    /// alone needs are in its own folder.
    [[nodiscard]] virtual Blas& blas() const = 0;
    [[nodiscard]] virtual VectorOperations& vectors() const = 0;

    /// A probe of the device's arithmetic (multiply_add_probe.hpp), which takes some milliseconds
    /// to make. Local.
    [[nodiscard]] virtual std::unique_ptr<MultiplyAddProbe> make_multiply_add_probe(
        FloatFormat format) const = 0;

    /// The accelerator's further abilities (accelerator.hpp); null on the host.
    [[nodiscard]] virtual Accelerator* accelerator() const { return nullptr; }
};

/// Whether the device works in memory that the CPU cannot use.
[[nodiscard]] inline bool has_own_memory(const Device& device) {
    return device.memory_kind() == MemoryKind::device;
}

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
