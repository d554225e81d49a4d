// A checkpoint's manifest that is accepted comes out the same when it is written and read again.
// An input is the content; the checksum around it is the right one, which no fuzzer would find.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "core/check.hpp"
#include "core/files/checksum.hpp"
#include "core/files/json_text.hpp"
#include "fuzz/fuzz_target.hpp"

namespace {

using Json = nlohmann::ordered_json;

// As it stands where it is no JSON, or has bytes that JSON cannot have.
std::string sealed(std::string_view content) {
    try {
        const Json json = quartet::parse_ordered_json(content);
        const std::string text = json.dump();
        const auto sum = quartet::checksum(std::as_bytes(std::span(text)));
        return Json{{"content", json}, {"checksum", fmt::format("{:016x}", sum)}}.dump();
    } catch (const quartet::JsonError&) {
        return std::string(content);
    } catch (const Json::exception&) {
        return std::string(content);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    std::string written;
    const bool refused = fuzz::refuses<Failure>([&] {
        written = to_text(cg::read_checkpoint_manifest(sealed(fuzz::text_of(data, size))));
    });
    if (!refused) {
        const std::string again = to_text(cg::read_checkpoint_manifest(written));
        fuzz::require(again == written, "a checkpoint's manifest survives writing and reading");
    }
    return 0;
}
