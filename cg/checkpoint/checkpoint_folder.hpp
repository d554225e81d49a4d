#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace quartet::cg {

/// A folder of checkpoints: one folder each, "iteration-300", which appears complete or not at all.
/// What is being written has another name, and so has what is about to be removed, so that a
/// process may be killed at any moment. All members are local; those that change something are
/// for one rank, and throw FileError.
class CheckpointFolder {
  public:
    explicit CheckpointFolder(std::filesystem::path path) : path_(std::move(path)) {}

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Iterations with a checkpoint, ascending; none if there is no folder.
    [[nodiscard]] std::vector<std::int64_t> iterations() const;
    [[nodiscard]] std::filesystem::path checkpoint(std::int64_t iteration) const;

    /// The empty folder to which the checkpoint of an iteration is written before it is renamed.
    [[nodiscard]] std::filesystem::path aside(std::int64_t iteration) const;
    void begin(std::int64_t iteration) const;
    /// Gives what was written its name, and makes sure that it survives a power cut. Then only it
    /// and the one before it are kept; later ones, from which somebody went back, are not.
    void commit(std::int64_t iteration) const;
    /// Removes what was written aside, as far as that can be.
    void give_up(std::int64_t iteration) const noexcept;

  private:
    void discard(std::int64_t iteration) const;

    std::filesystem::path path_;
};

}  // namespace quartet::cg
