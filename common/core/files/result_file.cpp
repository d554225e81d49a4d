#include "core/files/result_file.hpp"

#include <fmt/format.h>

#include <span>
#include <system_error>

#include "core/check.hpp"
#include "core/files/file.hpp"

namespace quartet {

void require_writable(const std::filesystem::path& file, bool overwrite) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) && !overwrite) {
        throw UsageError(
            fmt::format("{} exists (results are never overwritten unasked): add --force or name "
                        "another file",
                        file.string()));
    }
    // Something has that name, even if it is a link that leads nowhere: it would be replaced.
    const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
    if (!file.has_filename() || (is_there && !std::filesystem::is_regular_file(file, ignored))) {
        throw UsageError(fmt::format(
            "{} cannot be written (it is not an ordinary file): name another file", file.string()));
    }
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, ignored)) {
        throw UsageError(
            fmt::format("{} cannot be written ({} is not a folder that can be written "
                        "to): name another file",
                        file.string(), folder.string()));
    }
    try {
        const OutputFile probe(file);  // as it will be written: under a name of its own, too
    } catch (const FileError& error) {
        throw UsageError(fmt::format("{} cannot be written ({}): name another file", file.string(),
                                     error.reason()));
    }
}

void write_aside(const std::filesystem::path& file, const std::string& text) {
    OutputFile output(file);
    output.write(std::as_bytes(std::span(text)));
    output.commit();
}

}  // namespace quartet
