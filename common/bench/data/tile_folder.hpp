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

/// The most tiles, blocks or files of one kind in a plan: every rank holds the whole list.
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 20;

/// Throws UsageError for more than most_tiles: "`what` makes 5000000 tiles (1048576 are the
/// most): `remedy`". Call it before making the list. Local.
void check_tile_count(std::int64_t count, std::string_view what, std::string_view remedy);

/// One file of a folder of data.
struct TileFile {
    std::string name;  ///< "A_0_3.npy"
    Shape shape;
};

/// The data of one kernel as .npy files in a folder, with a manifest that describes the data and
/// has the files' checksums. If the nodes do not share the folder, each node makes and checks its
/// own. T is the element type that the manifest names.
template <typename T>
class TileFolder {
  public:
    /// Writes the elements of a file into `elements`, row-major.
    using Fill = std::function<void(const TileFile& file, std::span<T> elements)>;

    /// `wanted` says what the folder should hold, without checksums.
    TileFolder(std::filesystem::path folder, Manifest wanted, std::vector<TileFile> files);

    /// Throws UsageError unless the wanted files exist; with `generate` they may be missing, but
    /// other data is never replaced. Reads the manifest, but no other file. Local.
    void require_usable(Switch generate) const;

    /// Makes the files that are missing or differ from the manifest, and completes the manifest.
    /// The ranks that see the same folder divide the files among them. Complete files of an
    /// interrupted call are kept. Throws, on all ranks alike, UsageError if the folder holds other
    /// data, and Failure if a file cannot be written. Collective over `world`.
    void generate(const comm::Communicator& world, const comm::Topology& topology,
                  const Fill& fill) const;

    /// Reads every file, divided among the ranks in the same way, and compares its checksum. If a
    /// rank finds a file missing, truncated or altered, all ranks throw UsageError that names it.
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
    /// Reads the manifest. Throws UsageError unless it describes the wanted data.
    [[nodiscard]] Manifest matching_manifest() const;
    /// Calls `use` for this rank's files, with a buffer for their elements: the ranks of `sharers`,
    /// which see the same folder, take the files in turn. Local.
    void for_my_files(const comm::Communicator& sharers, const Fill& use) const;
    /// Returns the checksums of this rank's files. Throws Failure. Local.
    std::map<std::string, std::string> make_missing(const Manifest& manifest,
                                                    const comm::Communicator& sharers,
                                                    const Fill& fill) const;
    void require_sound(const comm::Communicator& sharers) const;

    std::filesystem::path folder_;
    Manifest wanted_;
    std::vector<TileFile> files_;
};

}  // namespace quartet::bench
