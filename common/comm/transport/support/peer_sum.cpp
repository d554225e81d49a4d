#include "comm/transport/support/peer_sum.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "comm/transport/support/shared_flag.hpp"

namespace quartet::comm {

/// A rank's shares of the last two sums, each beside its number. Who writes those of sum n has seen
/// all ranks' shares of sum n - 1, which these wrote once they had read all of sum n - 2: the line
/// is free again.
struct SharedShares {
    struct alignas(64) Line {
        SharedFlag sum;
        std::array<double, 7> values;
    };
    std::array<Line, 2> lines;
};

PeerSum::PeerSum(WindowPool& windows, const Communicator& comm, int most)
    : rank_(comm.rank()), memory_(windows.allocate(bytes_of<SharedShares>(1))) {
    check(most <= std::ssize(SharedShares::Line().values), "more sums than fit a cache line");
    ::new (static_cast<void*>(memory_.data.get())) SharedShares{};
    for (int rank = 0; rank < comm.size(); ++rank) {
        shares_.push_back(reinterpret_cast<SharedShares*>(windows.newest().part_of(rank)));
    }
    comm.barrier();  // every rank's lines are there
}

void PeerSum::run(std::span<double> values) {
    const auto line = static_cast<std::size_t>(++sums_ % 2);
    SharedShares::Line& mine = shares_[static_cast<std::size_t>(rank_)]->lines[line];
    std::ranges::copy(values, mine.values.begin());
    mine.sum.store(sums_, std::memory_order_release);
    std::ranges::fill(values, 0.0);
    for (const SharedShares* shares : shares_) {
        const SharedShares::Line& theirs = shares->lines[line];
        wait_until(theirs.sum, sums_);
        for (std::size_t index = 0; index < values.size(); ++index) {
            values[index] += theirs.values[index];
        }
    }
}

}  // namespace quartet::comm
