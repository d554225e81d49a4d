#pragma once

namespace quartet {

/// Whom a rank reads at a step, of `ranks` steps: itself at first. If all go in step, each memory
/// has one reader at a time. In the order 0, 1, 2 ... all would share the link of one.
constexpr int peer_at_step(int step, int rank, int ranks) {
    return (rank + step) % ranks;
}

}  // namespace quartet
