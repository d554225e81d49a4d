// A list of tiles that is accepted comes out the same when it is written and read again. An input
// is its content.

#include "bench/checkpoint/tile_list.hpp"
#include "core/check.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/sealed_content.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    std::string written;
    const bool refused = fuzz::refuses<Failure>([&] {
        written = to_text(bench::read_tile_list(fuzz::sealed_content(fuzz::text_of(data, size))));
    });
    if (!refused) {
        fuzz::require(to_text(bench::read_tile_list(written)) == written,
                      "a list of tiles survives writing and reading");
    }
    return 0;
}
