#include "core/files/own_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <string>
#include <system_error>

#include "core/check.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

namespace quartet {

namespace {

// An index is below this, so that one more can be counted.
constexpr std::int64_t index_bound = std::numeric_limits<std::int64_t>::max();

// Takes a whole number from the front of `text`; -1 if there is none.
std::int64_t take_number(std::string_view& text) {
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0 || number == index_bound) {
        return -1;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

// Names of that beginning, and what follows it.
void for_each_name(const std::filesystem::path& folder, std::string_view begin,
                   const std::function<void(const std::string& name, std::string_view rest)>& use) {
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    while (!error && entry != std::filesystem::directory_iterator()) {
        const std::string name = entry->path().filename().native();
        if (name.starts_with(begin)) {
            use(name, std::string_view(name).substr(begin.size()));
        }
        entry.increment(error);
    }
    if (error) {
        throw FileError("read", folder, error.message());
    }
}

[[noreturn]] void refuse_gap(const std::filesystem::path& folder, const std::string& missing,
                             const std::string& present) {
    throw UsageError(
        fmt::format("{} has no {} (it has {}): add it, or take away what is not of this data",
                    quotation(folder.native()), missing, present));
}

}  // namespace

std::vector<std::int64_t> blocks_in(const std::filesystem::path& folder, std::string_view array) {
    std::vector<std::int64_t> found;
    const auto add = [&](const std::string& name, std::string_view rest) {
        const std::int64_t index = take_number(rest);
        if (index >= 0 && name == block_file(array, index)) {
            found.push_back(index);
        }
    };
    for_each_name(folder, fmt::format("{}-", array), add);
    std::ranges::sort(found);
    return found;
}

std::vector<TilePlace> tiles_in(const std::filesystem::path& folder, std::string_view array) {
    std::vector<TilePlace> found;
    const auto add = [&](const std::string& name, std::string_view rest) {
        const std::int64_t row = take_number(rest);
        if (row < 0 || !rest.starts_with('_')) {
            return;
        }
        rest.remove_prefix(1);
        const std::int64_t column = take_number(rest);
        if (column >= 0 && name == tile_file(array, row, column)) {
            found.push_back({row, column});
        }
    };
    for_each_name(folder, fmt::format("{}_", array), add);
    std::ranges::sort(found);
    return found;
}

std::int64_t count_blocks(const std::filesystem::path& folder, std::string_view array) {
    const auto found = blocks_in(folder, array);
    for (std::int64_t block = 0; block < std::ssize(found); ++block) {
        if (found[static_cast<std::size_t>(block)] != block) {
            refuse_gap(folder, block_file(array, block), block_file(array, found.back()));
        }
    }
    return std::ssize(found);
}

std::int64_t count_tiles(const std::filesystem::path& folder, std::string_view array) {
    const auto found = tiles_in(folder, array);
    TilePlace largest{-1, -1};
    for (const TilePlace& tile : found) {
        if (std::max(tile.row, tile.column) > std::max(largest.row, largest.column)) {
            largest = tile;
        }
    }
    const std::int64_t edge = std::max(largest.row, largest.column) + 1;
    TilePlace next;
    for (const TilePlace& tile : found) {
        if (tile != next) {
            break;
        }
        next = next.column + 1 < edge ? TilePlace{next.row, next.column + 1}
                                      : TilePlace{next.row + 1, 0};
    }
    if (next.row < edge) {
        refuse_gap(folder, tile_file(array, next.row, next.column),
                   tile_file(array, largest.row, largest.column));
    }
    return edge;
}

void remove_later_blocks(const std::filesystem::path& folder, std::string_view array, int rank,
                         int ranks) {
    const Folder open(folder);
    for (std::int64_t block = rank + ranks; is_there(folder / block_file(array, block));
         block += ranks) {
        open.remove(block_file(array, block));
    }
}

Shape own_shape(const std::filesystem::path& file, ElementType type, std::size_t dimensions) {
    const NpyHeader header = read_npy_header(file);
    require(header, type, header.shape, file);
    const auto positive = [](std::int64_t extent) { return extent > 0; };
    if (header.shape.size() != dimensions ||
        !std::all_of(header.shape.begin() + 1, header.shape.end(), positive)) {
        throw NpyError(NpyProblem::wrong_shape, file,
                       fmt::format("shape {} where {} is expected", to_string(header.shape),
                                   dimensions == 1 ? "a vector" : "a matrix"));
    }
    return header.shape;
}

}  // namespace quartet
