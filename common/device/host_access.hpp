#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "device/device.hpp"

namespace quartet::device {

/// Lets the CPU read and write memory that may be a GPU's, outside of timed steps. Memory of the
/// host is used in place, in one piece. Memory of a GPU goes piece by piece through two page-locked
/// buffers, so that one piece is used while the next is copied.
class HostAccess {
  public:
    /// The size of one buffer, large enough for copies to run at full speed.
    static constexpr Bytes default_piece = mebibytes(32);

    /// Borrows device and stream. Pieces have at most the size `piece`, and whole elements.
    HostAccess(Device& device, Stream& stream, Bytes piece = default_piece)
        : device_(device), stream_(stream), piece_(piece) {}

    /// Calls use(first, elements) for each piece from front to back, once the stream's earlier work
    /// is done; `first` is the index of the first element. Throws what that work has thrown.
    template <typename T>
    using Read = std::function<void(std::int64_t first, std::span<const T> elements)>;
    template <typename T>
    void read(const View<const T>& from, const std::type_identity_t<Read<T>>& use) const;

    /// Calls fill(first, elements) for each piece; it must write all elements, which are in `to`
    /// when write() returns.
    template <typename T>
    using Write = std::function<void(std::int64_t first, std::span<T> elements)>;
    template <typename T>
    void write(const View<T>& to, const std::type_identity_t<Write<T>>& fill) const;

    /// Page-locked memory that the pieces of a view of this size and kind take, at most.
    [[nodiscard]] static Bytes memory(Bytes size, MemoryKind kind, Bytes piece = default_piece);

  private:
    Device& device_;
    Stream& stream_;
    Bytes piece_;
};

}  // namespace quartet::device
