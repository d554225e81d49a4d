#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/flags/command_line.hpp"
#include "bench/results/row.hpp"
#include "core/units.hpp"

namespace quartet::stream {

/// The flags that only stream has.
struct Options {
    std::vector<Bytes> sizes;  ///< of one vector; empty until the defaults are filled in
    int pushes = 0;            ///< 0: the default of the routes
    bench::Switch pairs = bench::Switch::off;
};

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

/// Fills in what was not given: 2 to 128 MiB and 100 pushes as published (VI.A), for pairs 16 MiB
/// and 10 pushes.
Options with_defaults(Options options);

/// Reads "2:128" (doubling) or "2,8,512KiB,64k"; a number without a unit counts MiB. Sizes are
/// whole floats, at least one. Throws UsageError.
std::vector<Bytes> parse_sizes(std::string_view text);

/// The ranks that push.
enum class Pattern {
    all_to_one,  ///< every other rank to rank 0, at once
    pairs,       ///< one ordered pair of ranks
};

/// Senders that push to one receiver.
struct Route {
    std::vector<int> senders;  ///< ascending
    int receiver = 0;
};

/// One case of the paper's STREAM (IV, VI.A): each sender pushes a float vector of `size`, `pushes`
/// times, and the receiver adds each to its own.
struct Problem {
    Bytes size;
    int pushes = 0;
    Pattern pattern = Pattern::all_to_one;
    Route route;

    [[nodiscard]] std::int64_t elements() const { return size.value / 4; }
    [[nodiscard]] int senders() const { return static_cast<int>(route.senders.size()); }
    [[nodiscard]] bool sends(int rank) const;
    [[nodiscard]] bool receives(int rank) const { return rank == route.receiver; }
    [[nodiscard]] bool has(int rank) const { return sends(rank) || receives(rank); }
    /// Counted: size x pushes of every sender.
    [[nodiscard]] bench::Work work() const;
};

/// The most ranks of which each ordered pair is measured, one at a time.
inline constexpr int most_ranks_in_pairs = 16;

/// The problems that the options ask for. Throws UsageError if the sums would not be exact, or for
/// pairs of more than most_ranks_in_pairs ranks.
std::vector<Problem> problems(const Options& options, int ranks);

/// Element values of a sender's vector: whole numbers from 1 to 8 that depend on seed, sender and
/// index, so that sums are exact in float32 and a misplaced element shows. `source` is the part of
/// the vector that begins at element `first`.
void fill_source(std::span<float> source, std::uint64_t seed, int sender, std::int64_t first = 0);

/// Fills in the vector that the receiver must hold after `pushes` pushes onto zeros.
void fill_expected(std::span<float> expected, std::uint64_t seed, const Route& route, int pushes);

}  // namespace quartet::stream
