#include "core/check.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace quartet {

namespace {

constexpr std::size_t longest_quotation = 400;

}  // namespace

std::string describe(const std::source_location& where) {
    const std::string_view path = where.file_name();
    // npos + 1 is 0: a name without a folder stays whole.
    return fmt::format("{}:{}", path.substr(path.find_last_of('/') + 1), where.line());
}

void fail(std::string_view problem, std::source_location where) {
    throw Failure(
        fmt::format("{} (a check failed at {}): please report this with the command line used",
                    problem, describe(where)));
}

std::string quotation(std::string_view text) {
    std::string result = "'";
    for (const char character : text.substr(0, longest_quotation)) {
        const auto code = static_cast<unsigned char>(character);
        const bool is_control = code < 0x20 || code == 0x7f;
        result += is_control ? fmt::format("\\x{:02x}", code) : std::string(1, character);
    }
    result += text.size() > longest_quotation ? "...'" : "'";
    return result;
}

}  // namespace quartet
