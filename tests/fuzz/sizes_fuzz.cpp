// Lists of sizes, amounts of memory and filters, as on a command line: what is accepted is within
// its bounds, and the exact text of an amount is read as the same amount.

#include "bench/flags/command_line.hpp"
#include "core/check.hpp"
#include "core/units.hpp"
#include "fuzz/fuzz_target.hpp"

namespace quartet {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;

void read_sizes(std::string_view text) {
    for (const std::int64_t size : bench::parse_sizes(text, most)) {
        fuzz::require(size >= 1 && size <= most, "a size is within its bounds");
    }
}

void read_bytes(std::string_view text) {
    const Bytes bytes = parse_bytes(text);
    fuzz::require(bytes.value >= 0, "an amount of memory is not negative");
    fuzz::require(parse_bytes(to_exact_string(bytes)) == bytes, "an amount's text means the same");
}

}  // namespace

}  // namespace quartet

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    const std::string_view text = fuzz::text_of(data, size);
    fuzz::refuses<UsageError>([&] { read_sizes(text); });
    fuzz::refuses<UsageError>([&] { read_bytes(text); });
    fuzz::refuses<UsageError>([&] { bench::parse_filter(std::string(text)); });
    return 0;
}
