#include "bench/session/used_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/check.hpp"
#include "core/files/file.hpp"
#include "core/files/same_file.hpp"

namespace quartet::bench {

namespace {

bool is_folder_use(FileUse use) {
    return use == FileUse::reads_folder || use == FileUse::changes_folder;
}

// Whether a file in the folder has one of the names that are used there.
bool has_prefix(const std::filesystem::path& file, const std::filesystem::path& folder,
                const std::string& prefix) {
    if (prefix.empty()) {
        return true;
    }
    std::error_code error;
    const auto below = std::filesystem::relative(file, folder, error);
    return !error && !below.empty() && below.begin()->native().starts_with(prefix);
}

}  // namespace

void UsedFiles::add(std::string flag, FileUse use, std::filesystem::path path, std::string prefix) {
    used_.push_back({std::move(flag), use, std::move(path), std::move(prefix)});
}

bool UsedFiles::is_written(const Used& used) {
    return used.use == FileUse::writes || used.use == FileUse::updates;
}

void UsedFiles::require_apart(const Used& written, const Used& other) {
    if (is_folder_use(other.use)) {
        if (lies_in(written.path, other.path) &&
            has_prefix(written.path, other.path, other.prefix)) {
            throw UsageError(fmt::format("{}: {} lies among the files of {}: name another file",
                                         written.flag, quotation(written.path.native()),
                                         other.flag));
        }
    } else if (is_same_file(written.path, other.path)) {
        throw UsageError(fmt::format("{} and {} name the same file ({}): name another one",
                                     written.flag, other.flag, quotation(written.path.native())));
    }
}

void UsedFiles::require_apart() const {
    for (std::size_t index = 0; index < used_.size(); ++index) {
        for (std::size_t other = 0; other < used_.size(); ++other) {
            if (is_written(used_[index]) && other != index &&
                (!is_written(used_[other]) || index < other)) {
                require_apart(used_[index], used_[other]);
            }
        }
    }
}

void UsedFiles::lock(const std::string& owner, bool is_root) {
    for (const Used& used : used_) {
        const std::string what = fmt::format("{}: {}", used.flag, quotation(used.path.native()));
        if (used.use == FileUse::writes && is_root) {
            locks_.push_back(std::make_unique<FileLock>(FileLock::beside(used.path), what, owner));
        }
        if (used.use == FileUse::changes_folder) {
            make_folder(used.path);
            locks_.push_back(
                std::make_unique<FileLock>(FileLock::of_folder(used.path), what, owner));
        }
    }
}

}  // namespace quartet::bench
