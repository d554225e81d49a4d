#pragma once

#include <cstdint>

namespace quartet::device {

/// A batch of transforms done in pieces that differ by as little as can be, since the workspace
/// grows with what is done at once: all pieces have `each` transforms, the last one `last`.
struct BatchSplit {
    std::int64_t pieces = 0;
    std::int64_t each = 0;
    std::int64_t last = 0;
};

/// Pieces of at most `most` (one at least) transforms.
constexpr BatchSplit split_batch(std::int64_t batch, std::int64_t most) {
    if (batch <= 0)
        return {};
    const std::int64_t limit = most < 1 ? 1 : most;
    const std::int64_t fewest = batch / limit + (batch % limit == 0 ? 0 : 1);
    const std::int64_t each = batch / fewest + (batch % fewest == 0 ? 0 : 1);
    const std::int64_t pieces = batch / each + (batch % each == 0 ? 0 : 1);
    return {pieces, each, batch - (pieces - 1) * each};
}

}  // namespace quartet::device
