#include "comm/windows/window.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "comm/mpi/agree.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "comm/windows/window_space.hpp"
#include "core/environment.hpp"
#include "system/memory/mapping.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

// Open MPI's shared windows begin a few hundred bytes into their file: without this the vectors
// would straddle cache lines.

std::int64_t distance_to_page(const std::byte* address) {
    const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
    return system::whole_pages(begin, system::page_bytes()) - begin;
}

// Takes effect if the system's setting for shared memory is "advise", before the first touch.
void ask_for_huge_pages(std::byte* begin, Bytes size) {
    const std::int64_t first = distance_to_page(begin);
    if (size.value > first) {
        madvise(begin + first, static_cast<std::size_t>(size.value - first), MADV_HUGEPAGE);
    }
}

class InfoGuard {
  public:
    InfoGuard() { check_mpi(MPI_Info_create(&info_)); }
    ~InfoGuard() { MPI_Info_free(&info_); }
    InfoGuard(const InfoGuard&) = delete;
    InfoGuard& operator=(const InfoGuard&) = delete;
    void set(const char* key, const char* value) { check_mpi(MPI_Info_set(info_, key, value)); }
    [[nodiscard]] MPI_Info handle() const { return info_; }

  private:
    MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace

Window::Window(WindowKind kind, Bytes size, const Communicator& comm)
    : size_(size), exceptions_(std::uncaught_exceptions()) {
    {
        const RanksOfNodes ranks(comm);
        const WindowTurn turn(kind, ranks);
        ReservedSpace::release(size_);
        require_window_space(kind, size_, ranks);
        take_space(kind, comm);
    }
    if (size_.value > 0) {
        std::memset(local_, 0, static_cast<std::size_t>(size_.value));
    }
    if (kind == WindowKind::shared) {
        views_[static_cast<std::size_t>(comm.rank())].collapse();
    }
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    comm.barrier();
}

void Window::take_space(WindowKind kind, const Communicator& comm) {
    allocate(kind, comm);
    check_mpi(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
    const std::int64_t offset = distance_to_page(base_);
    local_ = base_ + offset;
    offsets_ = comm.gather(offset);
    if (kind == WindowKind::shared) {
        ask_for_huge_pages(base_, size_ + Bytes{system::page_bytes()});
        make_views(comm);
    }
    populate(comm);
}

// Agreed, so that no rank goes on alone; then all ranks can free what was allocated.
void Window::populate(const Communicator& comm) {
    if (const auto problem = comm.first(why_not_populated(local_, size_))) {
        views_.clear();
        MPI_Win_free(&window_);
        throw Failure(*problem);
    }
}

void Window::make_views(const Communicator& comm) {
    for (int rank = 0; rank < comm.size(); ++rank) {
        MPI_Aint size = 0;
        int unit = 0;
        void* base = nullptr;
        check_mpi(MPI_Win_shared_query(window_, rank, &size, &unit, &base));
        views_.emplace_back(static_cast<std::byte*>(base) + displacement_of(rank),
                            size - system::page_bytes());
    }
    local_ = views_[static_cast<std::size_t>(comm.rank())].data();
}

void Window::allocate(WindowKind kind, const Communicator& comm) {
    InfoGuard info;
    const auto bytes = static_cast<MPI_Aint>(size_.value + system::page_bytes());
    int code = MPI_SUCCESS;
    if (kind == WindowKind::shared) {
        // Parts of their own pages: each rank's memory may then lie on its own NUMA node.
        info.set("alloc_shared_noncontig", "true");
        code = MPI_Win_allocate_shared(bytes, 1, info.handle(), comm.handle(), &base_, &window_);
    } else {
        info.set("same_disp_unit", "true");
        info.set("accumulate_ops", "same_op_no_op");
        code = MPI_Win_allocate(bytes, 1, info.handle(), comm.handle(), &base_, &window_);
    }
    agree(comm, [&] { check_mpi(code); });
}

Window::~Window() {
    if (std::uncaught_exceptions() > exceptions_) {
        return;
    }
    views_.clear();
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
}

std::byte* Window::part_of(int rank) const {
    return views_.at(static_cast<std::size_t>(rank)).data();
}

MPI_Aint Window::displacement_of(int rank) const {
    return static_cast<MPI_Aint>(offsets_.at(static_cast<std::size_t>(rank)));
}

bool Window::contains(const std::byte* data, std::int64_t count) const {
    return data >= local_ && count <= size_.value && data - local_ <= size_.value - count;
}

std::span<const char* const> backing_folder_variables(WindowKind kind) {
    static constexpr std::array variables{"OMPI_MCA_osc_sm_backing_directory",
                                          "OMPI_MCA_osc_rdma_backing_directory"};
    return std::span(variables).first(kind == WindowKind::shared ? 1 : 2);
}

std::optional<std::string> missing_backing_folder(WindowKind kind) {
    for (const char* const variable : backing_folder_variables(kind)) {
        const auto folder = Environment().get(variable);
        std::error_code ignored;
        if (folder && !std::filesystem::is_directory(*folder, ignored)) {
            return fmt::format("windows cannot lie in {} (it is no folder): correct {}",
                               quotation(*folder), variable);
        }
    }
    return std::nullopt;
}

bool on_huge_pages(const std::byte* address) {
    std::ifstream smaps("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(smaps, line);) {
        if (const auto mapping = system::mapping_of(line)) {
            inside = mapping->contains(reinterpret_cast<std::uintptr_t>(address));
        } else if (inside &&
                   (line.starts_with("ShmemPmdMapped:") || line.starts_with("AnonHugePages:") ||
                    line.starts_with("Shared_Hugetlb:"))) {
            const auto digit = line.find_first_of("123456789");
            if (digit != std::string::npos) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace quartet::comm
