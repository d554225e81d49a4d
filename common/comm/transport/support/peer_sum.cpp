#include "comm/transport/support/peer_sum.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace quartet::comm {

PeerSum::PeerSum(WindowPool& windows, const Communicator& comm, int most)
    : rank_(comm.rank()), memory_(windows.allocate(bytes_of<SharedShares>(1))) {
    check(most <= std::ssize(SharedShares::Line().values), "more sums than fit a cache line");
    ::new (static_cast<void*>(memory_.data.get())) SharedShares{};
    for (int rank = 0; rank < comm.size(); ++rank) {
        shares_.push_back(reinterpret_cast<SharedShares*>(windows.newest().part_of(rank)));
    }
    comm.barrier();  // every rank's lines are there
}

PeerSum::PeerSum(int rank, std::vector<SharedShares*> shares)
    : rank_(rank), shares_(std::move(shares)) {}

// Who writes its line of sum n has acquired all ranks' numbers of sum n - 1. These released them
// once they had read all of sum n - 2, which was in the same line: it is free again.
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
