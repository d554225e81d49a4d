// A checkpoint's manifest that is accepted comes out the same when it is written and read again.
// An input is its content.

#include "cg/checkpoint.hpp"
#include "core/check.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/sealed_content.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    std::string written;
    const bool refused = fuzz::refuses<Failure>([&] {
        written = to_text(cg::parse_manifest(fuzz::sealed_content(fuzz::text_of(data, size))));
    });
    if (!refused) {
        fuzz::require(to_text(cg::parse_manifest(written)) == written,
                      "a checkpoint's manifest survives writing and reading");
    }
    return 0;
}
