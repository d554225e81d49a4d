#pragma once

#include <nccl.h>

#include <memory>
#include <source_location>

namespace quartet::comm {

/// The functions of NCCL that the suite uses. Loaded, not linked: programs must also run where NCCL
/// is missing.
struct NcclLibrary {
    decltype(&ncclGetVersion) get_version = nullptr;
    decltype(&ncclGetErrorString) error_string = nullptr;
    decltype(&ncclGetLastError) last_error = nullptr;
    decltype(&ncclGetUniqueId) get_unique_id = nullptr;
    decltype(&ncclCommInitRank) init_rank = nullptr;
    decltype(&ncclCommDestroy) destroy = nullptr;
    decltype(&ncclCommAbort) abort = nullptr;
    decltype(&ncclGroupStart) group_start = nullptr;
    decltype(&ncclGroupEnd) group_end = nullptr;
    decltype(&ncclSend) send = nullptr;
    decltype(&ncclRecv) receive = nullptr;
    decltype(&ncclAllGather) all_gather = nullptr;

    /// The version in the form of NCCL_VERSION_CODE: 22805 is 2.28.5.
    [[nodiscard]] int version() const;

    /// Throws Failure with the call's name and NCCL's own words unless `status` is success.
    void check(ncclResult_t status, const char* call,
               std::source_location where = std::source_location::current()) const;
};

/// Loads the library from where the loader finds it, else from where this build found it. Throws
/// Unavailable if it is in neither place.
std::shared_ptr<const NcclLibrary> load_nccl();

}  // namespace quartet::comm
