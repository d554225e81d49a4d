#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units.hpp"

namespace quartet::comm {

/// How data is cut: pieces of one size and a rest, over and over where it is sent several times.
class Pieces {
  public:
    Pieces(std::int64_t bytes, Bytes largest)
        : bytes_(bytes), size_(std::min(largest.value, std::max<std::int64_t>(bytes, 1))) {}

    [[nodiscard]] std::int64_t count() const { return (bytes_ + size_ - 1) / size_; }
    [[nodiscard]] Bytes largest() const { return {bytes_ == 0 ? 0 : size_}; }
    [[nodiscard]] std::int64_t first(std::int64_t piece) const { return piece % count() * size_; }
    [[nodiscard]] Bytes size(std::int64_t piece) const {
        return {std::min(size_, bytes_ - first(piece))};
    }

  private:
    std::int64_t bytes_;
    std::int64_t size_;
};

}  // namespace quartet::comm
