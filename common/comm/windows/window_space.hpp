#pragma once

#include <optional>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/windows/window.hpp"
#include "core/files/file.hpp"
#include "core/units.hpp"

namespace quartet::comm {

/// The folder in which windows of a kind will lie, and its free space.
struct WindowFolder {
    std::string path;
    Bytes available;
};

/// The folder that the environment names, else /dev/shm; if two are possible, the fuller one.
/// Nothing if it cannot be read. Local.
std::optional<WindowFolder> window_folder(WindowKind kind);

/// Ranks, and those of them that are on this rank's node.
struct RanksOfNodes {
    explicit RanksOfNodes(const Communicator& ranks) : all(ranks), node(ranks.split_by_node()) {}

    const Communicator& all;
    Communicator node;
};

/// Throws Failure, on all ranks alike, if the folder of a node lacks space for what its ranks
/// are about to allocate in windows: MPI's allocation would hang. `size` is this rank's part.
/// Collective over all ranks.
void require_window_space(WindowKind kind, Bytes size, const RanksOfNodes& ranks);

/// A job's turn to take space of the folder for windows, by a lock on each node: of two jobs that
/// look at the free space at the same time, one waits until the other has taken its own. It is held
/// for as long as taking space takes. A job that is stopped in its turn delays another one by some
/// seconds for each window.
class WindowTurn {
  public:
    /// Collective over all ranks, as the destructor is not.
    WindowTurn(WindowKind kind, const RanksOfNodes& ranks);
    ~WindowTurn() = default;
    WindowTurn(const WindowTurn&) = delete;
    WindowTurn& operator=(const WindowTurn&) = delete;

  private:
    [[nodiscard]] bool try_lock();
    void unlock();

    std::optional<FileDescriptor> folder_;  ///< on the first rank of a node
};

/// The space that a case's windows are about to take, held on each rank by a file without a name
/// until they are made: no other job can take it, and none has to wait meanwhile. Each window takes
/// its part of what is held. A process holds space for one case at a time.
class ReservedSpace {
  public:
    /// `size` is what this rank's parts of all windows take. Throws Failure, on all ranks alike,
    /// if a node lacks space. Collective over `comm`, as the destructor is not.
    ReservedSpace(WindowKind kind, Bytes size, const Communicator& comm);
    ~ReservedSpace();
    ReservedSpace(const ReservedSpace&) = delete;
    ReservedSpace& operator=(const ReservedSpace&) = delete;

    /// Gives back what a window's part of that size takes, if the process holds anything: the
    /// window is about to take it. In the job's turn. Local.
    static void release(Bytes size);

    /// Bytes that are held. Local.
    [[nodiscard]] Bytes held() const { return held_; }

  private:
    [[nodiscard]] std::optional<std::string> why_not_held(const std::string& folder);

    Bytes held_;
    std::optional<FileDescriptor> file_;
};

/// Has the system find memory for every page of [begin, begin + size), which begins on a page
/// boundary: why it cannot, or nothing. A page that is missing later on would be a SIGBUS. Local.
std::optional<std::string> why_not_populated(std::byte* begin, Bytes size);

}  // namespace quartet::comm
