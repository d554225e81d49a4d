#pragma once

#include <filesystem>

namespace quartet {

/// Whether two names lead to one file: by device and inode if both exist, else by the path once
/// links and dots are resolved. A file that cannot be examined is compared by its name. Local.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Whether a file is, or would be, in a folder or in one below it, under whatever names. Local.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace quartet
