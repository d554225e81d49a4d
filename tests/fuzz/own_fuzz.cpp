// What is read of a user's own files fits together, or is refused: an input is lines of file names,
// an empty line, and what is in each of these files.

#include <fstream>
#include <numeric>
#include <string>

#include "cg/system/block_folder.hpp"
#include "core/files/own_files.hpp"
#include "fft/problem/files.hpp"
#include "fuzz/fuzz_target.hpp"
#include "matmul/problem/own_tiles.hpp"

namespace quartet {

namespace {

constexpr int most_files = 16;
constexpr std::size_t longest_name = 60;

std::filesystem::path folder_of(std::string_view text) {
    const auto folder = fuzz::file_of("beside", "").parent_path() / "own";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    const std::size_t end = text.find("\n\n");
    const std::string_view content = end == text.npos ? "" : text.substr(end + 2);
    std::string_view names = text.substr(0, end);
    for (int file = 0; file < most_files && !names.empty(); ++file) {
        const std::string name(names.substr(0, names.find('\n')));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        if (name.size() <= longest_name && name.find_first_of(std::string("/\0", 2)) == name.npos) {
            std::ofstream(folder / name, std::ios::binary) << content;
        }
    }
    return folder;
}

// The numbers that `read` accepts; empty if it refuses the files or sees none.
template <typename Read>
std::vector<std::int64_t> accepted(Read read, const std::filesystem::path& folder) {
    std::vector<std::int64_t> found;
    fuzz::refuses<UsageError>([&] {
        if (fuzz::refuses<NpyError>([&] { found = read(folder); })) {
            found.clear();
        }
    });
    return found;
}

void read(const std::filesystem::path& folder) {
    const auto tiles = accepted(matmul::read_own_tiles, folder);
    if (!tiles.empty()) {
        const std::int64_t edge = (tiles[0] + tiles[1] - 1) / tiles[1];
        fuzz::require(tiles[1] >= 1 && tiles[1] <= tiles[0], "a tile is no larger than its matrix");
        fuzz::require(std::ssize(tiles_in(folder, "B")) == edge * edge, "all tiles are there");
    }
    const auto heights = accepted(cg::read_own_blocks, folder);
    if (!heights.empty()) {
        fuzz::require(std::reduce(heights.begin(), heights.end()) >= 1, "a matrix has rows");
        fuzz::require(blocks_in(folder, "b").size() == heights.size(), "all blocks are there");
    }
    const auto points = accepted(fft::read_own_points, folder);
    if (!points.empty()) {
        fuzz::require(points[0] >= 1 && points[0] % points[1] == 0, "tiles are of one length");
        fuzz::require(std::ssize(blocks_in(folder, "x")) == points[1], "all tiles are there");
    }
}

}  // namespace

}  // namespace quartet

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace quartet;
    read(folder_of(fuzz::text_of(data, size)));
    return 0;
}
