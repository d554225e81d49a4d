#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units.hpp"

namespace quartet::comm {

/// How data is cut: into chunks of one size and a shorter rest. Chunk numbers go on if the same
/// data is sent again: chunk count() is the first one once more.
class Chunks {
  public:
    Chunks(std::int64_t bytes, Bytes largest)
        : bytes_(bytes), size_(std::min(largest.value, std::max<std::int64_t>(bytes, 1))) {}

    [[nodiscard]] std::int64_t count() const { return (bytes_ + size_ - 1) / size_; }
    [[nodiscard]] Bytes largest() const { return {bytes_ == 0 ? 0 : size_}; }
    [[nodiscard]] std::int64_t first(std::int64_t chunk) const { return chunk % count() * size_; }
    [[nodiscard]] Bytes size(std::int64_t chunk) const {
        return {std::min(size_, bytes_ - first(chunk))};
    }

  private:
    std::int64_t bytes_;
    std::int64_t size_;
};

}  // namespace quartet::comm
