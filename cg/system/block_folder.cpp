#include "cg/system/block_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/data/tile_limits.hpp"
#include "core/data_source.hpp"
#include "core/files/file.hpp"
#include "core/files/own_files.hpp"
#include "core/saturated.hpp"

namespace quartet::cg {

namespace {

constexpr std::string_view matrix = "A";
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

std::vector<std::int64_t> ends_of(const std::vector<std::int64_t>& heights) {
    std::vector<std::int64_t> ends(heights.size());
    std::partial_sum(heights.begin(), heights.end(), ends.begin());
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
    add_each(matrix, {size});
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
    return problem.system == own_system ? manifest.of_own_data() : manifest;
}

// The number of blocks, the same for A and for b.
std::int64_t blocks_of_both(const std::filesystem::path& folder) {
    const std::int64_t of_a = count_blocks(folder, matrix);
    const std::int64_t of_b = count_blocks(folder, right_side);
    if (of_a != of_b) {
        throw UsageError(fmt::format(
            "{} has no {} ({} blocks of A and {} of b): both need as many",
            quotation(folder.native()),
            block_file(of_a < of_b ? matrix : right_side, std::min(of_a, of_b)), of_a, of_b));
    }
    bench::require_few_tiles(of_a, quotation(folder.native()), "cut the matrix into larger blocks");
    return of_a;
}

}  // namespace

std::vector<std::int64_t> read_own_blocks(const std::filesystem::path& folder) {
    const std::int64_t blocks = blocks_of_both(folder);
    std::vector<std::int64_t> heights;
    std::int64_t size = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
        const auto path = folder / block_file(matrix, block);
        heights.push_back(own_shape(path, ElementType::f8, 2).front());
        size = saturated_sum(size, heights.back());
    }
    if (blocks > 0 && (size < 1 || size > largest_size)) {
        throw UsageError(
            fmt::format("the blocks A-r.npy in {} have {} rows in all (1 to {} are possible): use "
                        "another matrix",
                        quotation(folder.native()), size, largest_size));
    }
    for (const bench::TileFile& file : file_list(size, ends_of(heights))) {
        const auto path = folder / file.name;
        require(read_npy_header(path), ElementType::f8, file.shape, path);
    }
    return heights;
}

BlockFolder::BlockFolder(const std::filesystem::path& folder, const Problem& problem,
                         std::uint64_t seed, int ranks, bench::Switch generate,
                         const std::vector<std::int64_t>& own)
    : size_(problem.size),
      ends_(own.empty() ? ends_of(size_, blocks_in(folder, ranks)) : ends_of(own)),
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
    verify(session);
}

void BlockFolder::verify(bench::Session& session) const {
    files_.verify(session.world(), session.topology());
}

void BlockFolder::read_row(std::int64_t row, std::int64_t first_column,
                           std::span<double> out) const {
    const std::int64_t block = block_of(row);
    const Range rows = rows_of(block);
    const auto path = files_.path_of(block_file(matrix, block));
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
