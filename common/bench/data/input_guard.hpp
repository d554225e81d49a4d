#pragma once

#include <cstdint>
#include <vector>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/memory.hpp"

namespace quartet::bench {

/// Remembers a case's input by a checksum, and so notices a bit that has flipped in it since,
/// however small its effect on the result. A product's check cannot: what it expects comes from the
/// same memory, and it allows for rounding. Reads the memory once when it is made and once for each
/// check, outside of the time. A GPU's memory is not looked at.
class InputGuard {
  public:
    explicit InputGuard(int threads) : threads_(threads) {}

    /// Remembers memory that is filled and stays as it is; it outlives the guard. Local.
    void remember(device::View<const std::byte> input);
    template <typename T>
    void remember(device::View<const T> input) {
        remember(device::as_bytes(input));
    }

    /// Whether all of it is unchanged. Local.
    [[nodiscard]] bool intact() const;

    /// The check, failed if the input of any rank has changed. Collective over `world`.
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
