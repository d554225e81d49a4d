#include "system/memory/page.hpp"

#include <unistd.h>

namespace quartet::system {

std::int64_t page_bytes() {
    static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
    return bytes;
}

}  // namespace quartet::system
