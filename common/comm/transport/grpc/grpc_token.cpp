#include "comm/transport/grpc/grpc_token.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "core/check.hpp"

namespace quartet::comm {

std::string draw_token() {
    std::array<unsigned char, 32> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0) {
        throw Failure(fmt::format("transport grpc: the system gives no random bytes ({})",
                                  std::generic_category().message(errno)));
    }
    std::string token;
    for (const unsigned byte : bytes) {
        token += fmt::format("{:02x}", byte);
    }
    return token;
}

bool is_same_token(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) {
        return false;
    }
    // Volatile, so that no compiler may stop at the first difference.
    volatile unsigned difference = 0;
    for (std::size_t index = 0; index < one.size(); ++index) {
        difference = difference | static_cast<unsigned>(one[index] ^ other[index]);
    }
    return difference == 0;
}

}  // namespace quartet::comm
