#include "comm/transport/nccl/nccl_library.hpp"

#include "core/shared_library.hpp"
#include "nccl_file.hpp"

namespace quartet::comm {

std::shared_ptr<const NcclLibrary> load_nccl() {
    using Nccl = NcclLibrary;
    return load_library({.names = {"libnccl.so.2", nccl_file},
                         .what = "transport nccl: NCCL's library",
                         .advice = "add its folder to LD_LIBRARY_PATH, or use --transport staged"},
                        LibraryFunction{&Nccl::get_version, "ncclGetVersion"},
                        LibraryFunction{&Nccl::error_string, "ncclGetErrorString"},
                        LibraryFunction{&Nccl::last_error, "ncclGetLastError"},
                        LibraryFunction{&Nccl::get_unique_id, "ncclGetUniqueId"},
                        LibraryFunction{&Nccl::init_rank, "ncclCommInitRank"},
                        LibraryFunction{&Nccl::destroy, "ncclCommDestroy"},
                        LibraryFunction{&Nccl::abort, "ncclCommAbort"},
                        LibraryFunction{&Nccl::group_start, "ncclGroupStart"},
                        LibraryFunction{&Nccl::group_end, "ncclGroupEnd"},
                        LibraryFunction{&Nccl::send, "ncclSend"},
                        LibraryFunction{&Nccl::receive, "ncclRecv"},
                        LibraryFunction{&Nccl::all_gather, "ncclAllGather"});
}

}  // namespace quartet::comm
