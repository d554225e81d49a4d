#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/session/options.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "core/files/npy.hpp"
#include "core/files/tiles.hpp"

namespace quartet::bench {

/// The most tiles, blocks or files of one kind that a plan lists: every rank has the whole list.
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 20;

/// Throws UsageError for more than most_tiles: "`what` makes 5000000 tiles (1048576 are the
/// most): `remedy`". To be called before a list is made. Local.
void check_tile_count(std::int64_t count, std::string_view what, std::string_view remedy);

/// One file of a folder of data.
struct TileFile {
    std::string name;  ///< "A_0_3.npy"
    Shape shape;
};

/// The data of one kernel as .npy files in a folder, with a manifest of what they hold and of their
/// checksums. All nodes may see one folder, or each its own, which is then made and checked on each
/// node. T is the element type that the manifest names.
template <typename T>
class TileFolder {
  public:
    /// Makes the elements of a file, row-major.
    using Fill = std::function<void(const TileFile& file, std::span<T> elements)>;

    /// `wanted` says what the folder should hold, without checksums.
    TileFolder(std::filesystem::path folder, Manifest wanted, std::vector<TileFile> files);

    /// Throws UsageError unless the wanted files are there; with `generate` they may be missing,
    /// but other data is never replaced. Reads the manifest and looks for
    /// the files without reading them. Local.
    void require_usable(Switch generate) const;

    /// Makes the files that are missing or differ from the manifest, and completes the manifest.
    /// The ranks that see the folder share the files. What an interrupted call has left is kept.
    /// Throws, on all ranks alike, UsageError for other data and Failure for what cannot be
    /// written. Collective over `world`.
    void generate(const comm::Communicator& world, const comm::Topology& topology,
                  const Fill& fill) const;

    /// Reads every file, shared in the same way, and compares it with its checksum, Where a
    /// rank finds a file missing, truncated or altered, all throw UsageError that names it.
    /// Collective over `world`.
    void verify(const comm::Communicator& world, const comm::Topology& topology) const;

    [[nodiscard]] std::filesystem::path path_of(const std::string& file) const {
        return folder_ / file;
    }
    [[nodiscard]] const std::vector<TileFile>& files() const { return files_; }
    /// The bytes of all elements.
    [[nodiscard]] Bytes size() const;

  private:
    [[nodiscard]] bool has_manifest() const;
    /// The manifest; throws UsageError unless it is of these data.
    [[nodiscard]] Manifest found() const;
    void require_files() const;
    void require_room_for_generated() const;
    /// The ranks of `sharers` share the files. Return checksums; throw Failure. Local.
    std::map<std::string, std::string> make_missing(const Manifest& manifest,
                                                    const comm::Communicator& sharers,
                                                    const Fill& fill) const;
    void require_sound(const comm::Communicator& sharers) const;
    void require_recorded(const Manifest& manifest, const TileFile& file,
                          std::span<const T> elements) const;

    std::filesystem::path folder_;
    Manifest wanted_;
    std::vector<TileFile> files_;
};

}  // namespace quartet::bench
