#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

#include "fakes/emulator/thread_order.hpp"

namespace quartet::emulator {

/// What the lanes of a warp give each other. A lane goes on as soon as it has what it wants, as it
/// may on a GPU: an exchange of values orders nothing else. Those with equal masks count alike.
class WarpExchange {
  public:
    /// What a lane does: it gives `bits`, and wants those of lane `from`, or to wait for all.
    struct Wish {
        unsigned lane;
        unsigned mask;
        unsigned from;
        std::uint64_t bits;
        std::source_location place;
    };
    static constexpr unsigned all = warp_size;

    /// Which of the exchanges the lane takes part in.
    struct Ticket {
        std::size_t group = 0;
        std::size_t round = 0;
        unsigned from = 0;
    };
    /// Throws std::logic_error for lanes that the mask does not name, or that are elsewhere.
    [[nodiscard]] Ticket give(const Wish& wish);
    [[nodiscard]] bool can_take(const Ticket& ticket) const;
    [[nodiscard]] std::uint64_t take(const Ticket& ticket) const;

    /// For the next warp. Throws std::logic_error where lanes have not come.
    void clear();

  private:
    struct Round {
        std::source_location place;
        unsigned arrived = 0;
        std::array<std::uint64_t, warp_size> bits;
    };
    struct Group {
        unsigned mask;
        std::array<std::size_t, warp_size> rounds_of_lane{};
        std::vector<Round> rounds;
        std::size_t used = 0;
    };
    std::size_t group_of(unsigned mask);

    std::vector<Group> groups_;
};

}  // namespace quartet::emulator
