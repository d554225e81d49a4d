#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/session/session.hpp"
#include "cg/linear_system.hpp"
#include "cg/problem.hpp"
#include "core/block_range.hpp"

namespace quartet::cg {

/// A system in files: `A-r.npy` is block r of the rows of A, `b-r.npy` block r of b. The manifest
/// says how many blocks there are, whatever the number of ranks; without a manifest there is one a
/// rank.
class BlockFolder {
  public:
    /// Throws UsageError unless the folder has, or can be made to have, these data. Local.
    BlockFolder(const std::filesystem::path& folder, const Problem& problem, std::uint64_t seed,
                int ranks, bench::Switch generate);
    /// The folder of --data.
    BlockFolder(const bench::Session& session, const Problem& problem,
                const bench::DataOptions& data)
        : BlockFolder(*data.folder, problem, session.options().seed, session.world().size(),
                      data.generate) {}

    /// Temporary memory of preparing: the largest file.
    [[nodiscard]] Bytes memory() const;

    /// Makes the files that are missing, where asked to, and checks all of them. Throws UsageError
    /// that names a file that is not as it should be. Collective.
    void prepare(bench::Session& session, const LinearSystem& system, bench::Switch generate) const;

    /// Elements of a row of A; rows of b. Throw NpyError. Threads may call them together. Local.
    void read_row(std::int64_t row, std::int64_t first_column, std::span<double> out) const;
    void read_right_side(std::int64_t first_row, std::span<double> out) const;

    /// Writes a rank's rows of the solution, `X-r.npy`, and removes those that more ranks have left
    /// there. Local.
    static void write_solution(const std::filesystem::path& folder, const comm::Communicator& world,
                               std::span<const double> rows);

  private:
    [[nodiscard]] std::int64_t blocks() const { return std::ssize(ends_); }
    [[nodiscard]] Range rows_of(std::int64_t block) const;
    [[nodiscard]] std::int64_t block_of(std::int64_t row) const;

    std::int64_t size_;
    std::vector<std::int64_t> ends_;  ///< the row behind each block
    bench::TileFolder<double> files_;
};

}  // namespace quartet::cg
