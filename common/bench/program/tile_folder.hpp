#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/program/options.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "core/files/npy.hpp"
#include "core/files/tiles.hpp"

namespace quartet::bench {

/// One file of a folder of data.
struct TileFile {
    std::string name;  ///< "A_0_3.npy"
    Shape shape;
};

/// The data of one kernel as .npy files in a folder, beside a manifest that says what they are and
/// has their checksums. The folder may be one that all nodes see, or each node's own: then it is
/// made and checked on each. T is the element type that the manifest names.
template <typename T>
class TileFolder {
  public:
    /// Makes the elements of a file, row-major.
    using Fill = std::function<void(const TileFile& file, std::span<T> elements)>;

    /// `wanted` says what the folder should hold, without checksums.
    TileFolder(std::filesystem::path folder, Manifest wanted, std::vector<TileFile> files);

    /// Throws UsageError unless the files are there and are the ones that are wanted; what is
    /// missing may be made with `generate`, other data is never replaced. Reads the manifest and
    /// looks for the files, but reads none. Local.
    void require_usable(Switch generate) const;

    /// Makes the files that are missing, or not as the manifest says, sharing them out over the
    /// ranks that see the folder, and completes the manifest. What an interrupted call has left is
    /// kept. Throws Failure. Collective over `world`.
    void generate(const comm::Communicator& world, const comm::Topology& topology,
                  const Fill& fill) const;

    /// Reads every file, shared out likewise, and compares it with its checksum. Throws Failure
    /// that names the first one that is missing, truncated or altered, on a rank that found one.
    /// Collective over `world`.
    void verify(const comm::Communicator& world, const comm::Topology& topology) const;

    [[nodiscard]] std::filesystem::path path_of(const std::string& file) const {
        return folder_ / file;
    }
    [[nodiscard]] const std::vector<TileFile>& files() const { return files_; }
    /// Of all elements.
    [[nodiscard]] Bytes size() const;

  private:
    [[nodiscard]] Manifest found() const;

    std::filesystem::path folder_;
    Manifest wanted_;
    std::vector<TileFile> files_;
};

}  // namespace quartet::bench
