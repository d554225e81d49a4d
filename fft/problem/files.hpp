#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/session/session.hpp"
#include "core/files/file.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// The tiles of a problem as files "x-t.npy" of M points, and their manifest.
bench::TileFolder<Point> tile_folder(const Problem& problem, std::uint64_t seed,
                                     const bench::DataOptions& data);

/// The same: the files that are missing are made, where asked to, and all are checked. Collective.
bench::TileFolder<Point> prepared_tiles(bench::Session& session, const Problem& problem,
                                        const bench::DataOptions& data);

/// Some of the tiles, mostly this rank's, to be read in every run.
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
    /// Points of one of them from number `first` on.
    void read_part(std::int64_t tile, std::int64_t first, std::span<Point> points);
    [[nodiscard]] std::int64_t tiles() const { return static_cast<std::int64_t>(files_.size()); }
    /// Points of one tile.
    [[nodiscard]] std::int64_t length() const { return length_; }

  private:
    struct File {
        std::string name;
        Bytes data_offset;
    };

    void read_file(const File& file, Bytes begin, std::span<std::byte> out);
    void read_aligned(const InputFile& input, Bytes offset, std::span<std::byte> out);

    std::int64_t length_;
    FileCache cache_;
    Folder folder_;
    std::vector<File> files_;
    std::vector<std::byte> staging_;  ///< for direct input, which wants whole pages
    std::span<std::byte> aligned_;
};

/// How a rank's part of the result lies in its file, and in words on the first rank.
struct ResultLayout {
    Shape shape;
    std::string order;
};
/// The layout of `bins` bins in the problem's order. Transposed parts are matrices [k2][k1 of the
/// rank].
ResultLayout result_layout(const Problem& problem, std::int64_t bins);

/// Writes each rank's part of the result, "X-r.npy", and a manifest that says its order, to the
/// folder "result" in that of the data; parts that more ranks have left there are removed. Throws
/// Failure. Collective.
void keep_result(const bench::DataOptions& data, const Problem& problem,
                 std::span<const Point> bins, const ResultLayout& layout, bench::Session& session);

}  // namespace quartet::fft
