// A checkpoint's manifest that is accepted comes out the same when it is written and read again.
// An input is its content.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cg/case.hpp"
#include "core/check.hpp"
#include "core/files/checksum.hpp"
#include "fuzz/fuzz_target.hpp"

namespace quartet::fuzz {

namespace {

/// An input with the checksum around it that no fuzzer would find; as it stands where it is no
/// JSON, or has bytes that JSON cannot have.
std::string sealed_content(std::string_view content) {
    try {
        const auto json = nlohmann::ordered_json::parse(content);
        const std::string text = json.dump();
        const auto sum = fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
        return nlohmann::ordered_json{{"content", json}, {"checksum", sum}}.dump();
    } catch (const nlohmann::ordered_json::exception&) {
        return std::string(content);
    }
}

}  // namespace

}  // namespace quartet::fuzz

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
