#pragma once

#include <cstddef>
#include <cstdint>

namespace quartet::system {

/// A second view of a part of shared memory, so placed that the kernel can map it by huge pages
/// (2 MiB): addresses and offsets in the file behind it agree modulo their size, which is left to
/// chance where others have mapped it. Where there can be no such view, or not one such page lies
/// in the part, it is the memory itself.
class HugeView {
  public:
    /// Of [data, data + size), in a mapping that outlives the view. `data` is on a page boundary.
    HugeView(std::byte* data, std::int64_t size);
    ~HugeView();
    HugeView(HugeView&& other) noexcept;
    HugeView& operator=(HugeView&&) = delete;

    [[nodiscard]] std::byte* data() const { return data_; }

    /// Asks for huge pages in the place of those that are there, whatever the system's setting for
    /// shared memory (MADV_COLLAPSE, Linux 6.1 and later; elsewhere nothing happens). Worth it
    /// once the memory has been touched by whom it shall be near to.
    void collapse() const;

  private:
    std::byte* data_;
    std::int64_t size_;
    bool mapped_ = false;  ///< by this object
};

}  // namespace quartet::system
