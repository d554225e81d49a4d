#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench/session/options.hpp"
#include "core/files/file.hpp"
#include "device/arena.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// The tiles of a folder ("A_0_3.npy"), read and written whole. Does not allocate, so that timed
/// steps can use it. Threads may share it.
class MatrixFiles {
  public:
    /// Throws FileError if there is no such folder.
    MatrixFiles(const std::filesystem::path& folder, const Problem& problem, FileCache cache);

    /// Memory that reading a tile takes: its file in whole pages, as direct input wants it.
    static Bytes slot_bytes(const Problem& problem);
    /// The offset of the elements in a file and in a slot: the length of its header.
    static constexpr Bytes elements_offset{128};

    /// Reads a tile's file into a slot of slot_bytes(), aligned to direct_alignment, in which the
    /// elements then begin at elements_offset. Throws NpyError or FileError that names the file.
    std::span<const float> read(std::string_view matrix, TileIndex tile,
                                std::span<std::byte> slot) const;
    /// Writes a tile of C, over the file that was put aside, if there is one. Throws FileError.
    void write(TileIndex tile, std::span<const float> elements) const;
    /// Renames the file of a tile of C, if there is one, so that write() can write over it.
    void put_aside(TileIndex tile) const;
    /// Removes the file of a tile of C, and one that was put aside, if they are there.
    void remove(TileIndex tile) const;
    /// With --cache drop: makes the page cache forget the block's tiles of A and B.
    void forget_inputs(const Block& block) const;

    [[nodiscard]] FileCache cache() const { return cache_; }

  private:
    [[nodiscard]] const std::string& header_of(TileIndex tile) const;

    Folder folder_;
    Problem problem_;
    FileCache cache_;
    std::array<std::array<std::string, 2>, 2> headers_;  ///< [in the last row][last column]
};

/// The files that a product works with.
struct ProductFiles {
    /// Null if A, B and C are in memory, and while a case is planned.
    std::shared_ptr<const MatrixFiles> matrices;
    bench::Switch keep = bench::Switch::off;  ///< whether C's files stay when the case ends
};

/// Slots of the host's memory for the files of tiles, each aligned for direct input.
class FileSlots {
  public:
    FileSlots(device::Arena& arena, const Problem& problem, std::int64_t count);

    /// A slot that MatrixFiles::read can read to.
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index);
    /// The elements of a tile that was read to a slot.
    [[nodiscard]] device::View<const float> elements(std::int64_t index, TileIndex tile);

  private:
    Problem problem_;
    device::Buffer<std::byte> memory_;
    std::int64_t first_;  ///< byte at which the first slot begins
};

/// Tiles of C in files, which are removed in the end unless they are kept.
class ResultFiles {
  public:
    /// `block` has the rank's tiles. Other tiles can be stored, too, but their files always stay.
    ResultFiles(const Block& block, ProductFiles files) : block_(block), files_(std::move(files)) {}
    ~ResultFiles();
    ResultFiles(const ResultFiles&) = delete;
    ResultFiles& operator=(const ResultFiles&) = delete;

    /// Before each run: takes away the block's tiles of the run before. With a warm page cache they
    /// are put aside and the run writes over them, if this job wrote them; files of other jobs are
    /// removed, since somebody may be reading them.
    void prepare();
    /// Enqueues the writing of a complete tile, whose memory must not change until it is written.
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream);
    /// Bytes that this run has written. Valid after the stream has been synchronised.
    [[nodiscard]] Bytes written() const { return written_; }

  private:
    Block block_;
    ProductFiles files_;
    bool has_prepared_ = false;  ///< from then on this job has written the files of C
    Bytes written_;              ///< changed by the stream that writes
};

}  // namespace quartet::matmul
