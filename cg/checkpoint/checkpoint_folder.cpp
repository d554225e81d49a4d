#include "cg/checkpoint/checkpoint_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "core/files/file.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "iteration-";
constexpr std::string_view unfinished = ".unfinished";
constexpr std::string_view discarded = ".discarded";

std::optional<std::int64_t> iteration_of(const std::string& name) {
    if (!name.starts_with(prefix)) {
        return std::nullopt;
    }
    std::int64_t iteration = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, iteration);
    if (error != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return iteration;
}

void require(const std::error_code& error, std::string_view operation, const fs::path& path) {
    if (error) {
        throw FileError(operation, path, error.message());
    }
}

void erase(const fs::path& path) {
    std::error_code error;
    fs::remove_all(path, error);
    require(error, "remove", path);
}

void move(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    require(error, "write", to);
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        names.push_back(entry->path().filename().string());
    }
    return names;
}

}  // namespace

std::vector<std::int64_t> CheckpointFolder::iterations() const {
    std::vector<std::int64_t> found;
    for (const std::string& name : names_in(path_)) {
        if (const auto iteration = iteration_of(name)) {
            found.push_back(*iteration);
        }
    }
    std::ranges::sort(found);
    return found;
}

fs::path CheckpointFolder::checkpoint(std::int64_t iteration) const {
    return path_ / fmt::format("{}{}", prefix, iteration);
}

fs::path CheckpointFolder::aside(std::int64_t iteration) const {
    return path_ / fmt::format("{}{}{}", prefix, iteration, unfinished);
}

void CheckpointFolder::begin(std::int64_t iteration) const {
    make_folder(path_);
    for (const std::string& name : names_in(path_)) {  // what killed processes have left
        if (name.starts_with(prefix) && (name.ends_with(unfinished) || name.ends_with(discarded))) {
            erase(path_ / name);
        }
    }
    make_folder(aside(iteration));
}

void CheckpointFolder::commit(std::int64_t iteration) const {
    Folder(aside(iteration)).flush();
    std::vector<std::int64_t> kept;
    for (const std::int64_t other : iterations()) {
        if (other >= iteration) {
            discard(other);
        } else {
            kept.push_back(other);
        }
    }
    move(aside(iteration), checkpoint(iteration));
    Folder(path_).flush();
    for (std::size_t index = 0; index + 1 < kept.size(); ++index) {
        discard(kept[index]);
    }
}

void CheckpointFolder::give_up(std::int64_t iteration) const noexcept {
    std::error_code ignored;
    fs::remove_all(aside(iteration), ignored);
}

// Removing many files is not one step: without its name it is no checkpoint at once.
void CheckpointFolder::discard(std::int64_t iteration) const {
    const fs::path gone = path_ / fmt::format("{}{}{}", prefix, iteration, discarded);
    move(checkpoint(iteration), gone);
    erase(gone);
}

}  // namespace quartet::cg
