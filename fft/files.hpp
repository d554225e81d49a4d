#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "bench/session.hpp"
#include "bench/tile_folder.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// The tiles of a problem as files "x-t.npy" of M points, and their manifest.
bench::TileFolder<Point> tile_folder(const Problem& problem, std::uint64_t seed,
                                     const std::filesystem::path& folder);

/// Makes the files that are missing. Collective.
void generate_tiles(const bench::TileFolder<Point>& folder, const Problem& problem,
                    bench::Session& session);

/// This rank's tiles, to be read in every run.
class TileReader {
  public:
    TileReader(const bench::TileFolder<Point>& folder, const Problem& problem, const Range& tiles);

    /// Reads all of them, one after another. Throws Failure that names a file that is gone or cut.
    void read(std::span<Point> points) const;

  private:
    std::int64_t length_;
    std::vector<std::filesystem::path> files_;
};

/// Writes each rank's part of the result, "X-r.npy", and a manifest that says its order, to the
/// folder "result" in `folder`. Transposed parts are matrices [k2][k1 of the rank]. Throws Failure.
/// Collective.
void keep_result(const std::filesystem::path& folder, const Problem& problem,
                 std::span<const Point> bins, bench::Session& session);

}  // namespace quartet::fft
