#pragma once

#include <optional>

#include "comm/mpi/communicator.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {

/// A folder that all ranks see, gone at the end. Collective.
class SharedFolder {
  public:
    explicit SharedFolder(const comm::Communicator& world) : world_(world) {
        if (world.rank() == 0) {
            folder_.emplace();
        }
        path_ = world.broadcast(folder_ ? folder_->path().string() : "", 0);
    }
    ~SharedFolder() { world_.barrier(); }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Does something to the folder, on one rank.
    template <typename Change>
    void once(Change change) const {
        world_.barrier();
        if (world_.rank() == 0) {
            change();
        }
        world_.barrier();
    }

  private:
    const comm::Communicator& world_;
    std::optional<TemporaryFolder> folder_;
    std::filesystem::path path_;
};

}  // namespace quartet
