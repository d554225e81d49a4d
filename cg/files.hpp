#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "bench/data/data_options.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/session/session.hpp"
#include "cg/systems.hpp"
#include "core/block_range.hpp"

namespace quartet::cg {

/// A system in files: `A-r.npy` has the rows of A that rank r of the job has, `b-r.npy` its rows of
/// b.
class SystemFiles {
  public:
    /// The folder of --data. Throws UsageError unless it has, or can get, the data of this problem
    /// for as many ranks. Local.
    SystemFiles(const bench::Session& session, const Problem& problem,
                const bench::DataOptions& data);

    /// The temporary memory of prepare(): the largest file.
    [[nodiscard]] Bytes memory() const;

    /// With `generate` makes the files that are missing; checks all files. Throws UsageError that
    /// names a wrong file. Collective.
    void prepare(bench::Session& session, const LinearSystem& system, bench::Switch generate) const;

    /// Elements of a row of A; rows of b. Throw NpyError. Threads may call them together. Local.
    void read_row(std::int64_t row, std::int64_t first_column, std::span<double> out) const;
    void read_right_side(std::int64_t first_row, std::span<double> out) const;

    /// Writes a rank's rows of the solution, `X-r.npy`, and removes files that a job of more ranks
    /// has left there. Local.
    static void write_solution(const std::filesystem::path& folder, const comm::Communicator& world,
                               std::span<const double> rows);

  private:
    [[nodiscard]] Range rows_of(std::int64_t block) const;
    [[nodiscard]] std::int64_t block_of(std::int64_t row) const;

    std::int64_t size_;
    int blocks_;
    bench::TileFolder<double> files_;
};

}  // namespace quartet::cg
