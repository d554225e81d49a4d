#pragma once

#include <filesystem>

namespace quartet {

/// Whether two names are of one file: by device and inode where both are there, else by what is
/// left once links and dots are resolved. What cannot be looked at is taken by its name. Local.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Whether a file is, or would be, in a folder or in one below it, under whatever names. Local.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace quartet
