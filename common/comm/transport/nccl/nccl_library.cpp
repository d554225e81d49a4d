#include "comm/transport/nccl/nccl_library.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/check.hpp"
#include "core/shared_library.hpp"
#include "nccl_file.hpp"

namespace quartet::comm {

namespace {

SharedLibrary load() {
    const std::array<std::string, 2> names{"libnccl.so.2", nccl_file};
    try {
        return SharedLibrary(names);
    } catch (const Failure& failure) {
        throw Unavailable(
            fmt::format("transport nccl: NCCL's library is not there ({}): add its folder to "
                        "LD_LIBRARY_PATH, or use --transport staged",
                        failure.what()));
    }
}

struct Loaded {
    SharedLibrary library = load();
    NcclLibrary functions{
        .get_version = library.function<decltype(ncclGetVersion)>("ncclGetVersion"),
        .error_string = library.function<decltype(ncclGetErrorString)>("ncclGetErrorString"),
        .last_error = library.function<decltype(ncclGetLastError)>("ncclGetLastError"),
        .get_unique_id = library.function<decltype(ncclGetUniqueId)>("ncclGetUniqueId"),
        .init_rank = library.function<decltype(ncclCommInitRank)>("ncclCommInitRank"),
        .destroy = library.function<decltype(ncclCommDestroy)>("ncclCommDestroy"),
        .abort = library.function<decltype(ncclCommAbort)>("ncclCommAbort"),
        .group_start = library.function<decltype(ncclGroupStart)>("ncclGroupStart"),
        .group_end = library.function<decltype(ncclGroupEnd)>("ncclGroupEnd"),
        .send = library.function<decltype(ncclSend)>("ncclSend"),
        .receive = library.function<decltype(ncclRecv)>("ncclRecv"),
        .all_gather = library.function<decltype(ncclAllGather)>("ncclAllGather"),
    };
};

}  // namespace

std::shared_ptr<const NcclLibrary> load_nccl() {
    const auto loaded = std::make_shared<const Loaded>();
    return {loaded, &loaded->functions};
}

}  // namespace quartet::comm
