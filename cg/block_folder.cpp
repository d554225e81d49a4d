#include "cg/block_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/data_source.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

namespace quartet::cg {

namespace {

constexpr std::string_view matrix_array = "A";
constexpr std::string_view right_side = "b";

std::int64_t blocks_in(const std::filesystem::path& folder, std::int64_t otherwise) {
    if (!is_there(folder / "manifest.json")) {
        return otherwise;
    }
    const std::int64_t blocks = read_manifest(folder).tile;
    if (blocks < 1 || blocks > bench::most_tiles) {
        throw UsageError(
            fmt::format("the manifest in {} counts {} blocks (1 to {} are possible): make the "
                        "data again with --generate, in another folder",
                        quotation(folder.native()), blocks, bench::most_tiles));
    }
    return blocks;
}

// The row behind each block.
std::vector<std::int64_t> ends_of(std::int64_t size, std::int64_t blocks) {
    std::vector<std::int64_t> ends;
    for (std::int64_t block = 0; block < blocks; ++block) {
        ends.push_back(block_range(size, static_cast<int>(blocks), static_cast<int>(block)).end);
    }
    return ends;
}

// A_0, A_1, .., b_0, b_1, ..
std::vector<bench::TileFile> file_list(std::int64_t size, const std::vector<std::int64_t>& ends) {
    std::vector<bench::TileFile> files;
    const auto add_each = [&](std::string_view array, const Shape& row) {
        std::int64_t begin = 0;
        for (std::size_t block = 0; block < ends.size(); ++block) {
            Shape shape{ends[block] - begin};
            shape.insert(shape.end(), row.begin(), row.end());
            files.push_back({block_file(array, static_cast<std::int64_t>(block)), shape});
            begin = ends[block];
        }
    };
    add_each(matrix_array, {size});
    add_each(right_side, {});
    return files;
}

Manifest wanted_manifest(const Problem& problem, std::uint64_t seed, std::int64_t blocks) {
    Manifest manifest;
    manifest.kernel = "cg";
    manifest.seed = seed;
    manifest.shape = {problem.size, problem.size};
    manifest.tile = blocks;
    manifest.generator_version = DataSource::generator_version;
    manifest.order = fmt::format("{}, row-major", problem.system);
    return manifest;
}

}  // namespace

BlockFolder::BlockFolder(const std::filesystem::path& folder, const Problem& problem,
                         std::uint64_t seed, int ranks, bench::Switch generate)
    : size_(problem.size),
      ends_(ends_of(size_, blocks_in(folder, ranks))),
      files_(folder, wanted_manifest(problem, seed, blocks()), file_list(size_, ends_)) {
    files_.require_usable(generate);
}

Range BlockFolder::rows_of(std::int64_t block) const {
    const auto index = static_cast<std::size_t>(block);
    return {block == 0 ? 0 : ends_[index - 1], ends_[index]};
}

std::int64_t BlockFolder::block_of(std::int64_t row) const {
    return std::ranges::upper_bound(ends_, row) - ends_.begin();
}

Bytes BlockFolder::memory() const {
    std::int64_t rows = 0;
    for (std::int64_t block = 0; block < blocks(); ++block) {
        rows = std::max(rows, rows_of(block).size());
    }
    return bytes_of<double>(rows * size_);
}

void BlockFolder::prepare(bench::Session& session, const LinearSystem& system,
                          bench::Switch generate) const {
    const auto fill = [&](const bench::TileFile& file, std::span<double> elements) {
        const auto index = static_cast<std::int64_t>(
            std::ranges::find(files_.files(), file.name, &bench::TileFile::name) -
            files_.files().begin());
        const Range rows = rows_of(index % blocks());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const auto place = static_cast<std::size_t>(row - rows.begin);
            if (index < blocks()) {
                const auto columns = static_cast<std::size_t>(size_);
                system.read_row(row, 0, elements.subspan(place * columns, columns));
            } else {
                elements[place] = system.right_side()[static_cast<std::size_t>(row)];
            }
        }
    };
    if (generate == bench::Switch::on) {
        files_.generate(session.world(), session.topology(), fill);
    }
    files_.verify(session.world(), session.topology());
}

void BlockFolder::read_row(std::int64_t row, std::int64_t first_column,
                           std::span<double> out) const {
    const std::int64_t block = block_of(row);
    const Range rows = rows_of(block);
    const auto path = files_.path_of(block_file(matrix_array, block));
    const NpyHeader header = read_npy_header(path);
    require(header, ElementType::f8, {rows.size(), size_}, path);
    read_npy(path, header, (row - rows.begin) * size_ + first_column, out);
}

void BlockFolder::read_right_side(std::int64_t first_row, std::span<double> out) const {
    for (std::int64_t done = 0; done < std::ssize(out);) {
        const std::int64_t row = first_row + done;
        const std::int64_t block = block_of(row);
        const Range rows = rows_of(block);
        const std::int64_t count = std::min(rows.end - row, std::ssize(out) - done);
        const auto path = files_.path_of(block_file(right_side, block));
        const NpyHeader header = read_npy_header(path);
        require(header, ElementType::f8, {rows.size()}, path);
        read_npy(path, header, row - rows.begin,
                 out.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)));
        done += count;
    }
}

void BlockFolder::write_solution(const std::filesystem::path& folder,
                                 const comm::Communicator& world, std::span<const double> rows) {
    write_npy(folder / block_file("X", world.rank()), {std::ssize(rows)}, rows);
    remove_later_blocks(folder, "X", world.rank(), world.size());
}

}  // namespace quartet::cg
