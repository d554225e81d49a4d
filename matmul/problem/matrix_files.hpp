#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bench/flags/command_line.hpp"
#include "core/files/file.hpp"
#include "matmul/problem/problem.hpp"

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
    /// Makes the page cache forget a tile.
    void forget(std::string_view matrix, TileIndex tile) const;

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
    std::shared_ptr<const MatrixFiles> matrices;  ///< null if A, B and C are in memory
    bench::Switch keep = bench::Switch::off;      ///< whether C's files stay when the case ends
};

/// With --cache drop: makes the page cache forget the block's tiles of A and B.
void forget_inputs(const MatrixFiles& files, const Problem& problem, const Block& block);

}  // namespace quartet::matmul
