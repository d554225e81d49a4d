#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/options.hpp"
#include "core/units.hpp"

namespace quartet::stream {

/// The flags that only stream has.
struct Options {
    std::vector<Bytes> sizes;   ///< of a vector; default: 2 to 128 MiB (VI.A), with --pairs 16 MiB
    std::optional<int> pushes;  ///< in a run; default: 100 (VI.A), with --pairs 10
    bench::Switch pairs = bench::Switch::off;
};

/// Reads "2:128" (doubling) or "2,8,512KiB,64k"; a number without a unit counts MiB. Sizes are
/// whole floats, at least one. Throws UsageError.
std::vector<Bytes> parse_sizes(std::string_view text);

/// One case of the paper's STREAM (IV, VI.A): each sender pushes a float vector of `size`, `pushes`
/// times, and the receiver adds each to its own.
struct Problem {
    Bytes size;
    int pushes = 0;
    std::vector<int> senders;  ///< ascending
    int receiver = 0;
    bench::Switch is_pair = bench::Switch::off;  ///< on: a problem of --pairs, with one sender

    [[nodiscard]] std::int64_t elements() const { return size.value / 4; }
    /// Vectors that the receiver adds in a run.
    [[nodiscard]] std::int64_t additions() const { return pushes * std::ssize(senders); }
    [[nodiscard]] bool sends(int rank) const;
    [[nodiscard]] bool receives(int rank) const { return rank == receiver; }
    /// The counted work: size x pushes bytes of each sender.
    [[nodiscard]] bench::Work work() const;
};

/// The options with their defaults filled in.
Options with_defaults(Options options);

/// The problems of options that with_defaults() returned: for each size, all ranks push to rank 0,
/// or with --pairs one rank to one other, for each ordered pair of ranks. Throws UsageError if the
/// sums would not be exact, or with --pairs for more than 16 ranks.
std::vector<Problem> problems(const Options& options, int ranks);

/// Element values of a sender's vector: whole numbers from 1 to 8 that depend on seed, sender and
/// index, so that sums are exact in float32 and a misplaced element shows. `source` is the part of
/// the vector that begins at element `first`.
void fill_source(std::span<float> source, std::uint64_t seed, int sender, std::int64_t first = 0);

/// Fills in the vector that the receiver must hold after a run that began with zeros.
void fill_expected(std::span<float> expected, std::uint64_t seed, const Problem& problem);

}  // namespace quartet::stream
