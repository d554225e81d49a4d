#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/program/session.hpp"
#include "core/files/file.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// The tiles of a problem as files "x-t.npy" of M points, and their manifest.
bench::TileFolder<Point> tile_folder(const Problem& problem, std::uint64_t seed,
                                     const std::filesystem::path& folder);

/// Makes the files that are missing. Collective.
void generate_tiles(const bench::TileFolder<Point>& folder, const Problem& problem,
                    bench::Session& session);

/// This rank's tiles, to be read in every run.
class TileFileReader {
  public:
    /// Reads the headers. Throws NpyError.
    TileFileReader(const bench::TileFolder<Point>& tiles, const Problem& problem, const Range& mine,
                   const bench::DataOptions& data);

    /// Has the files where the next reading is to find them: on the disk, unless `warm`.
    void prepare() const;
    /// Reads all of them, one after another; allocates nothing. Throws Failure that names a file
    /// that is gone, or is not as long as it was.
    void read(std::span<Point> points);
    /// The same for one of them: number `tile` of this rank's.
    void read_tile(std::int64_t tile, std::span<Point> points);
    [[nodiscard]] std::int64_t tiles() const { return static_cast<std::int64_t>(files_.size()); }
    /// Points of one tile.
    [[nodiscard]] std::int64_t length() const { return length_; }

  private:
    struct File {
        std::string name;
        Bytes data_offset;
    };

    void read_file(const File& file, std::span<std::byte> out);
    void read_aligned(const InputFile& input, Bytes offset, std::span<std::byte> out);

    std::int64_t length_;
    FileCache cache_;
    Folder folder_;
    std::vector<File> files_;
    std::vector<std::byte> staging_;  ///< for direct input, which wants whole pages
    std::span<std::byte> aligned_;
};

/// Writes each rank's part of the result, "X-r.npy", and a manifest that says its order, to the
/// folder "result" in `folder`. Transposed parts are matrices [k2][k1 of the rank]. Throws Failure.
/// Collective.
void keep_result(const std::filesystem::path& folder, const Problem& problem,
                 std::span<const Point> bins, bench::Session& session);

}  // namespace quartet::fft
