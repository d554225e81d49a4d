// A manifest that is accepted comes out the same when it is written and read again.

#include "core/check.hpp"
#include "core/files/tiles.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    const auto folder = fuzz::file_of("manifest.json", fuzz::text_of(data, size)).parent_path();
    Manifest manifest;
    if (fuzz::refuses<Failure>([&] { manifest = read_manifest(folder); })) {
        return 0;
    }
    write_manifest(folder, manifest);
    fuzz::require(read_manifest(folder) == manifest, "a manifest survives writing and reading");
    return 0;
}
