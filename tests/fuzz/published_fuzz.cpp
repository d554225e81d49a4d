// A file of published numbers is refused, or each of its numbers can be compared with.

#include <cmath>

#include "bench/report/published.hpp"
#include "core/check.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    const auto file = fuzz::file_of("stream.json", fuzz::text_of(data, size));
    fuzz::refuses<Failure>([&] {
        const bench::PublishedNumbers numbers(file.parent_path(), "stream");
        const auto nearest = numbers.nearest({{"workers", "2"}}, "MiB/s", 1);
        fuzz::require(!nearest || std::isfinite(nearest->ratio), "a ratio is a number");
    });
    return 0;
}
