#pragma once

#include <filesystem>
#include <string>

namespace quartet {

/// Throws UsageError if `file` exists and may not be overwritten, or cannot be written: that is
/// tried beside it, under the name that writing takes.
void require_writable(const std::filesystem::path& file, bool overwrite);

/// Writes a text aside and renames it, so that nobody reads half of it. Throws Failure.
void write_aside(const std::filesystem::path& file, const std::string& text);

}  // namespace quartet
