#pragma once

#include <optional>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/shared/window.hpp"
#include "core/files/file.hpp"
#include "core/units.hpp"

namespace quartet::comm {

/// The folder in which windows of a kind will lie, and its free space.
struct WindowFolder {
    std::string path;
    Bytes available;
};

/// The one that the environment names, else /dev/shm; of two, the fuller one. Nothing where it
/// cannot be looked at. Local.
std::optional<WindowFolder> window_folder(WindowKind kind);

/// Throws Failure, on all ranks alike, where the folder of a node lacks space for what its ranks
/// are about to allocate in windows: MPI's allocation would hang. `size` is this rank's part.
/// Collective over `comm`.
void require_window_space(WindowKind kind, Bytes size, const Communicator& comm);

/// The space that a case's windows are about to take: a lock of the folder on each node. Of two
/// jobs that look at the free space at the same time, one waits until the other has taken all of
/// its part. A job that is stopped there delays another one by at most twenty seconds
/// for each case.
class ReservedSpace {
  public:
    /// Collective over `comm`, as the destructor is not.
    ReservedSpace(WindowKind kind, const Communicator& comm);
    ~ReservedSpace() = default;
    ReservedSpace(const ReservedSpace&) = delete;
    ReservedSpace& operator=(const ReservedSpace&) = delete;

  private:
    [[nodiscard]] bool try_lock();
    void unlock();

    std::optional<FileDescriptor> folder_;  ///< on the first rank of a node
};

/// Has the system find memory for every page of [begin, begin + size), which begins on a page
/// boundary: why it cannot, or nothing. A page that is missing later on would be a SIGBUS. Local.
std::optional<std::string> why_not_populated(std::byte* begin, Bytes size);

}  // namespace quartet::comm
