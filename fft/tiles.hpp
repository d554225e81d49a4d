#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/session/session.hpp"
#include "core/files/file.hpp"
#include "device/arena.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// The tiles of a problem as files "x-t.npy" of M points, and their manifest.
bench::TileFolder<Point> tile_folder(const Problem& problem, std::uint64_t seed,
                                     const bench::DataOptions& data);

/// Makes missing files (with --generate) and checks all. Throws Failure. Collective.
void prepare_tiles(bench::Session& session, const Problem& problem, const bench::DataOptions& data);

/// Some of the tiles in files, to be read in every run.
class TileReader {
  public:
    /// Reads the headers, unless the arena plans. Throws NpyError.
    TileReader(device::Arena& arena, const Problem& problem, const Range& tiles,
               const bench::DataOptions& data);

    /// With --cache drop makes the page cache forget the files.
    void prepare() const;
    /// Reads points of the tile number `tile` of `tiles`, from its point `first` on; allocates
    /// nothing. Throws Failure that names a file that is gone, or has another length than before.
    void read(std::int64_t tile, std::int64_t first, std::span<Point> points);
    [[nodiscard]] std::int64_t tiles() const { return std::ssize(files_); }

  private:
    std::int64_t length_;
    FileCache cache_;
    std::optional<Folder> folder_;  ///< none while the arena plans
    std::vector<std::string> files_;
    Bytes data_offset_;                  ///< the length of a file's header
    device::Buffer<std::byte> staging_;  ///< for direct input, which wants whole pages
    std::span<std::byte> aligned_;
};

/// Makes a rank's tiles from the seed, or reads them from files ahead of the computation, on a
/// stream of its own: to the host's memory, or through two page-locked slots to a GPU, where a tile
/// is read while the one before is copied.
class TileLoader {
  public:
    /// How many tiles may have begun and not been brought yet.
    static constexpr std::int64_t slots = 2;

    /// Files have been checked, unless the arena plans. Throws NpyError. Local.
    TileLoader(device::Arena& arena, bench::Session& session, const Problem& problem,
               const Range& mine, const bench::DataOptions& data);

    /// Before each run, outside of the time.
    void prepare() const { reader_.prepare(); }
    /// Brings all tiles, one after another, to `points`, where they are for the session's stream.
    /// Throws Failure if a file could not be read. From files neither this function nor the
    /// following ones, which do nothing without files, allocate.
    void load(device::View<Point> points);
    /// Enqueues the reading of a tile, which goes to `place`. Tiles begin in turn.
    void begin(std::int64_t tile, device::View<Point> place);
    /// Makes the session's stream wait until the tile is in its place.
    void bring(std::int64_t tile, device::View<Point> place);
    /// Waits for all reading. Throws Failure if a file could not be read.
    void finish();

  private:
    struct Slot {
        device::View<Point> points;  ///< empty if tiles are read to their places
        std::unique_ptr<device::Event> read;
        std::unique_ptr<device::Event> copied;
    };
    [[nodiscard]] Slot& slot(std::int64_t tile) {
        return slots_.at(static_cast<std::size_t>(tile % slots));
    }

    bench::Session& session_;
    Problem problem_;
    std::int64_t first_;  ///< this rank's first point, counted over all tiles
    TileReader reader_;
    device::Buffer<Point> staging_;  ///< page-locked, on the way to a GPU
    std::array<Slot, slots> slots_;
    std::unique_ptr<device::Stream> reading_;  ///< with files
};

/// The shape of a rank's part of the result in its file; the order of its bins, in words.
struct ResultLayout {
    Shape shape;
    std::string order;
};
/// The layout of `bins` bins in the problem's order. Transposed parts are matrices [k2][k1 of the
/// rank].
ResultLayout result_layout(const Problem& problem, std::int64_t bins);

/// Writes each rank's part of the result, "X-r.npy", and a manifest that says its
/// order, to the folder "result" in the data's folder; removes parts that a job of more ranks has
/// left there. Throws Failure. Collective.
void keep_result(bench::Session& session, const bench::DataOptions& data, const Problem& problem,
                 const ReadPieces& result, const ResultLayout& layout);

}  // namespace quartet::fft
