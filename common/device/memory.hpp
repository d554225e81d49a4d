#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet::device {

/// The place of memory, and who may touch it.
enum class MemoryKind {
    host,    ///< ordinary memory of the CPU
    pinned,  ///< of the CPU, page-locked for copies to and from an accelerator
    device,  ///< of an accelerator; the CPU must not touch it
};

/// Borrowed, typed memory: a pointer, a count, and the kind of memory. It gives a span only if the
/// CPU may touch the memory.
template <typename T>
class View {
  public:
    View() = default;
    View(T* data, std::int64_t size, MemoryKind kind) : data_(data), size_(size), kind_(kind) {}
    /// A view of constants from a view of variables.
    template <typename U>
    requires std::is_same_v<const U, T> View(const View<U>& other)
        : View(other.data(), other.size(), other.kind()) {}

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] MemoryKind kind() const { return kind_; }
    [[nodiscard]] Bytes bytes() const { return bytes_of<T>(size_); }

    /// Elements [first, first + count). Throws Failure if they are not all inside. Where memory is
    /// only planned (arena.hpp), a view has a size and no data.
    [[nodiscard]] View part(std::int64_t first, std::int64_t count) const {
        check(first >= 0 && count >= 0 && first <= size_ - count, "part outside of a view");
        return {data_ == nullptr ? nullptr : data_ + first, count, kind_};
    }

    /// Throws Failure for device memory.
    [[nodiscard]] std::span<T> span() const {
        check(kind_ != MemoryKind::device, "the CPU may not touch device memory");
        return {data_, static_cast<std::size_t>(size_)};
    }

  private:
    T* data_ = nullptr;
    std::int64_t size_ = 0;
    MemoryKind kind_ = MemoryKind::host;
};

/// The same memory as bytes.
template <typename T>
View<std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>> as_bytes(
    const View<T>& view) {
    using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    return {reinterpret_cast<Byte*>(view.data()), view.bytes().value, view.kind()};
}

/// The same memory as elements of T, constant if the bytes are. Throws Failure unless the bytes
/// are aligned as T and a whole number of elements.
template <typename T, typename Byte>
requires std::is_same_v<std::remove_const_t<Byte>, std::byte>
auto view_as(const View<Byte>& bytes) {
    using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    check(bytes.size() % size == 0, "bytes that are no whole number of elements");
    check(bytes.empty() || std::bit_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0,
          "bytes that are not aligned as their elements");
    return View<Element>(reinterpret_cast<Element*>(bytes.data()), bytes.size() / size,
                         bytes.kind());
}

/// Owned, untyped memory: what devices and transports allocate. Freed by `release`.
struct Allocation {
    std::unique_ptr<std::byte, std::function<void(std::byte*)>> data;
    Bytes size;
    MemoryKind kind = MemoryKind::host;
};

/// Owned, typed memory.
template <typename T>
class Buffer {
  public:
    Buffer() = default;
    /// Takes over memory for at least `count` elements. Throws Failure if it is smaller.
    Buffer(Allocation allocation, std::int64_t count)
        : allocation_(std::move(allocation)), count_(count) {
        check(bytes_of<T>(count) <= allocation_.size, "buffer larger than its allocation");
    }

    [[nodiscard]] View<T> view() { return {pointer(), count_, allocation_.kind}; }
    [[nodiscard]] View<const T> view() const { return {pointer(), count_, allocation_.kind}; }
    [[nodiscard]] std::span<T> span() { return view().span(); }
    [[nodiscard]] std::span<const T> span() const { return view().span(); }
    [[nodiscard]] std::int64_t size() const { return count_; }

  private:
    [[nodiscard]] T* pointer() const { return reinterpret_cast<T*>(allocation_.data.get()); }

    Allocation allocation_;
    std::int64_t count_ = 0;
};

}  // namespace quartet::device
