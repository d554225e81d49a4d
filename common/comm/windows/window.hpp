#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "core/units.hpp"
#include "system/memory/mapping.hpp"

namespace quartet::comm {

/// The purpose of a window.
enum class WindowKind {
    shared,  ///< ranks of one node load and store each other's part
    remote,  ///< ranks reach each other's part by one-sided operations
};

/// An MPI-3 window that allocates its memory, in a passive epoch to all ranks from beginning to
/// end. Each rank's part begins on a page boundary. Shared parts are seen where huge pages can be,
/// and lie on such if the kernel has them.
class Window {
  public:
    /// Collective over `comm`; sizes may differ between ranks and may be 0. Zeroed. Throws Failure,
    /// on all ranks alike, if the folder of windows lacks the space.
    Window(WindowKind kind, Bytes size, const Communicator& comm);
    /// Collective, except while an exception unwinds: then the window is left to the job's end,
    /// since freeing it would wait for ranks that never come.
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] std::byte* local() const { return local_; }
    [[nodiscard]] Bytes size() const { return size_; }
    [[nodiscard]] MPI_Win handle() const { return window_; }

    /// The address of `rank`'s part in this process; shared windows only. Local.
    [[nodiscard]] std::byte* part_of(int rank) const;

    /// Byte displacement, for one-sided operations, of the beginning of `rank`'s part. Local.
    [[nodiscard]] MPI_Aint displacement_of(int rank) const;

    /// Whether [data, data + count) lies in this rank's part.
    [[nodiscard]] bool contains(const std::byte* data, std::int64_t count) const;

  private:
    void take_space(WindowKind kind, const Communicator& comm);
    void allocate(WindowKind kind, const Communicator& comm);
    void make_views(const Communicator& comm);
    void populate(const Communicator& comm);

    MPI_Win window_ = MPI_WIN_NULL;
    Bytes size_;
    std::byte* base_ = nullptr;            ///< as MPI gave it
    std::byte* local_ = nullptr;           ///< on the page boundary
    std::vector<std::int64_t> offsets_;    ///< by rank, from what MPI gave to the page boundary
    std::vector<system::HugeView> views_;  ///< by rank, of shared windows: their parts
    int exceptions_;
};

/// The environment variables that name the folder in which Open MPI keeps such windows (unset:
/// /dev/shm). Of several, the component that it selects decides which one counts.
std::span<const char* const> backing_folder_variables(WindowKind kind);

/// Why such windows cannot lie where the environment tells Open MPI to put them, or nothing: it
/// would wait for ever for a folder that is not there. Local.
std::optional<std::string> missing_backing_folder(WindowKind kind);

/// Whether huge pages back mapped, touched memory of this process, as the kernel reports it for the
/// mapping that holds `address`; false if it does not say.
bool on_huge_pages(const std::byte* address);

}  // namespace quartet::comm
