#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

/// What a fuzzer calls with each input: libFuzzer's name and form. A reader must either use the
/// input or refuse it by one of the suite's errors; anything else ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quartet::fuzz {

/// The input as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Aborts, with `promise` on standard error, unless it was kept.
void require(bool kept, std::string_view promise);

/// A file of that name that holds `content`, in a folder of this process, until the next call.
std::filesystem::path file_of(std::string_view name, std::string_view content);

/// Whether `read` refuses what it is given by an error of the type.
template <typename Error, typename Read>
bool refuses(Read read) {
    try {
        read();
        return false;
    } catch (const Error&) {
        return true;
    }
}

}  // namespace quartet::fuzz
