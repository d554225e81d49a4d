// A checkpoint's manifest that is accepted comes out the same when it is written and read again.
// An input is its content.

#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "core/check.hpp"
#include "fuzz/fuzz_target.hpp"
#include "fuzz/sealed_content.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    std::string written;
    const bool refused = fuzz::refuses<Failure>([&] {
        written =
            to_text(cg::read_checkpoint_manifest(fuzz::sealed_content(fuzz::text_of(data, size))));
    });
    if (!refused) {
        const std::string again = to_text(cg::read_checkpoint_manifest(written));
        fuzz::require(again == written, "a checkpoint's manifest survives writing and reading");
    }
    return 0;
}
