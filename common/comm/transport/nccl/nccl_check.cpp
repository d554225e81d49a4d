#include <fmt/format.h>

#include "comm/transport/nccl/nccl_library.hpp"
#include "core/check.hpp"

namespace quartet::comm {

int NcclLibrary::version() const {
    int number = 0;
    check(get_version(&number), "ncclGetVersion");
    return number;
}

// The last error says which setting or system call it was; the other only that there was one.
void NcclLibrary::check(ncclResult_t status, const char* call, std::source_location where) const {
    if (status != ncclSuccess) {
        throw Failure(fmt::format("{} failed ({}; {}, at {}): NCCL_DEBUG=INFO says more", call,
                                  error_string(status), quotation(last_error(nullptr)),
                                  describe(where)));
    }
}

}  // namespace quartet::comm
