#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/results/row.hpp"
#include "core/units.hpp"
#include "stream/options.hpp"

namespace quartet::stream {

/// The pairs of ranks that push.
enum class Pattern {
    all_to_one,  ///< every other rank to rank 0, at once
    pairs,       ///< ordered pairs of ranks, in rounds
};

/// Senders that push to one receiver.
struct Route {
    std::vector<int> senders;  ///< ascending
    int receiver = 0;
};

/// One case of the paper's STREAM (IV, VI.A): each sender pushes a float vector of `size`, `pushes`
/// times, and the receiver adds each to its own. Routes of one problem share no rank and run at the
/// same time.
struct Problem {
    Bytes size;
    int pushes = 0;
    Pattern pattern = Pattern::all_to_one;
    std::vector<Route> routes;

    [[nodiscard]] std::int64_t elements() const { return size.value / 4; }
    /// The route that `rank` sends or receives on, or nothing.
    [[nodiscard]] const Route* route_of(int rank) const;
    [[nodiscard]] bool sends(int rank) const;
    [[nodiscard]] bool receives(int rank) const;
    /// Counted: size x pushes of every sender. Traffic: read source, read and write target.
    [[nodiscard]] bench::Work work(const Route& route) const;
    [[nodiscard]] bench::Work work() const;
};

/// The problems that the options ask for. Throws UsageError if the sums would not be exact.
std::vector<Problem> problems(const Options& options, int ranks, std::uint64_t seed = 1);

/// With more ranks not every pair is measured: a document has rows for each pair.
inline constexpr int most_ranks_with_all_pairs = 32;

/// Ordered pairs of ranks in rounds: one pair a round, above 16 ranks as many disjoint pairs as
/// there are. All pairs of up to most_ranks_with_all_pairs ranks, else as many drawn by the seed,
/// each in both directions. The draw is the same on all ranks.
std::vector<std::vector<Route>> pair_rounds(int ranks, std::uint64_t seed = 1);

/// Element values of a sender's vector: whole numbers from 1 to 8 that depend on seed, sender and
/// index, so that sums are exact in float32 and a misplaced element shows. `source` is the part of
/// the vector that begins at element `first`.
void fill_source(std::span<float> source, std::uint64_t seed, int sender, std::int64_t first = 0);

/// Fills in the vector that the receiver must hold after `pushes` pushes onto zeros.
void fill_expected(std::span<float> expected, std::uint64_t seed, const Route& route, int pushes);

}  // namespace quartet::stream
