#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::device {

/// The memory that something takes on one rank.
struct MemoryNeeds {
    Bytes host;    ///< of the CPU
    Bytes device;  ///< of a GPU; 0 on the host

    bool operator==(const MemoryNeeds&) const = default;
    friend MemoryNeeds operator+(const MemoryNeeds& a, const MemoryNeeds& b) {
        return {a.host + b.host, a.device + b.device};
    }
};

/// The source of all memory of a case. A class that allocates takes an arena in its constructor: a
/// case, an operation of a transport, a queue, a probe, a matrix.
///
/// A case is constructed twice, by the same code. First over an arena that plans: it adds up the
/// sizes, and hands out buffers that have a size and no memory. If the sums fit on all ranks, the
/// case is constructed again, over an arena that allocates. Two rules make this work:
///
/// 1. A constructor makes memory and touches none of it: Case::set_up() writes the data.
/// 2. While an arena plans, a constructor makes no collective call. The operations of comm/ and
///    flow/, and the probes, keep this rule themselves.
///
/// A case that cannot run is therefore refused before anything exists that must be freed
/// collectively.
///
///     struct Buffers {
///         Buffers(device::Arena& arena, std::int64_t rows) : x(arena.make<double>(rows)) {}
///         device::Buffer<double> x;
///     };
class Arena {
  public:
    enum class Mode { plan, allocate };

    /// Borrows the device.
    Arena(Device& device, Mode mode) : device_(device), mode_(mode) {}

    [[nodiscard]] Device& device() const { return device_; }
    [[nodiscard]] bool plans() const { return mode_ == Mode::plan; }

    /// `count` zeroed elements in memory of `kind`, or of the kind that the device works on. Local.
    /// Throws Failure if there is not enough memory.
    template <typename T>
    Buffer<T> make(std::int64_t count, MemoryKind kind) {
        const Bytes size = bytes_of<T>(count);
        reserve(size, kind);
        return {plans() ? planned(size, kind) : device_.allocate(size, kind), count};
    }
    template <typename T>
    Buffer<T> make(std::int64_t count) {
        return make<T>(count, device_.memory_kind());
    }

    /// `count` elements that the CPU alone uses; none while the arena plans. Local.
    template <typename T>
    std::vector<T> make_vector(std::int64_t count) {
        reserve(bytes_of<T>(count));
        return std::vector<T>(plans() ? 0 : static_cast<std::size_t>(count));
    }

    /// Counts memory that others allocate: a library, or a transport. Local.
    void reserve(Bytes size, MemoryKind kind = MemoryKind::host) {
        Bytes& sum = kind == MemoryKind::device ? needs_.device : needs_.host;
        sum = sum + size;
    }
    /// Counts memory of the host that is freed before the first run; needs() has the largest of
    /// these amounts. Local.
    void reserve_for_set_up(Bytes size) { for_set_up_ = std::max(for_set_up_, size); }
    /// An allocation that has a size, but no memory.
    [[nodiscard]] static Allocation planned(Bytes size, MemoryKind kind) {
        return {.data = nullptr, .size = size, .kind = kind};
    }

    /// The sums so far.
    [[nodiscard]] MemoryNeeds needs() const { return {needs_.host + for_set_up_, needs_.device}; }

  private:
    Device& device_;
    Mode mode_;
    MemoryNeeds needs_;
    Bytes for_set_up_;
};

}  // namespace quartet::device
