#pragma once

#include <cstdint>
#include <vector>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/memory.hpp"

namespace quartet::bench {

/// Finds out by a checksum whether a case's input has changed in memory, even by one flipped bit
/// with little effect on the result. The check of a product may miss that: its reference comes from
/// the same memory, and it allows for rounding. remember() and each check read the memory once,
/// outside of the measured time. Memory of GPUs is ignored.
class InputGuard {
  public:
    explicit InputGuard(int threads) : threads_(threads) {}

    /// Takes the checksum of `input`, which must outlive the guard without changes. Local.
    void remember(device::View<const std::byte> input);
    template <typename T>
    void remember(device::View<const T> input) {
        remember(device::as_bytes(input));
    }

    /// Returns `check`, as failed if the input of any rank has changed. Collective over `world`.
    [[nodiscard]] Check judge(Check check, const comm::Communicator& world) const;

  private:
    struct Remembered {
        device::View<const std::byte> input;
        std::uint64_t checksum = 0;
    };

    int threads_;
    std::vector<Remembered> remembered_;
};

}  // namespace quartet::bench
