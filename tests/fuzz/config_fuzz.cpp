// A file of flags is taken as a program takes it, or refused as bad usage.

#include <array>
#include <string>

#include "bench/flags/command_line.hpp"
#include "core/check.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    const std::string file = fuzz::file_of("flags.toml", fuzz::text_of(data, size)).string();
    const std::array<const char*, 3> arguments{"fuzz", "--config", file.c_str()};
    bench::CommandLine command_line("fuzz", "takes a file of flags");
    command_line.add_queue();
    try {
        command_line.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const UsageError& error) {
        fuzz::require(std::string_view(error.what()).find('\n') == std::string_view::npos,
                      "a refusal is one line");
    } catch (const Unavailable&) {
        return 0;
    }
    return 0;
}
