#include "cg/files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/data_source.hpp"
#include "core/files/tiles.hpp"

namespace quartet::cg {

namespace {

Manifest wanted_manifest(const Problem& problem, std::uint64_t seed, int blocks) {
    Manifest manifest;
    manifest.kernel = "cg";
    manifest.seed = seed;
    manifest.shape = {problem.size, problem.size};
    manifest.tile = blocks;
    manifest.generator_version = DataSource::generator_version;
    manifest.order = fmt::format("{}, row-major", problem.system);
    return manifest;
}

// .., b-0, b-1, ..
std::vector<bench::TileFile> file_list(std::int64_t size, int blocks) {
    std::vector<bench::TileFile> files;
    for (const auto& [array, row] : {std::pair("A", Shape{size}), std::pair("b", Shape{})}) {
        for (int block = 0; block < blocks; ++block) {
            Shape shape{block_range(size, blocks, block).size()};
            shape.insert(shape.end(), row.begin(), row.end());
            files.push_back({block_file(array, block), shape});
        }
    }
    return files;
}

}  // namespace

SystemFiles::SystemFiles(const bench::Session& session, const Problem& problem,
                         const bench::DataOptions& data)
    : size_(problem.size),
      blocks_(session.world().size()),
      files_(*data.folder, wanted_manifest(problem, session.options().seed, blocks_),
             file_list(size_, blocks_)) {
    files_.require_usable(data.generate);
}

Range SystemFiles::rows_of(std::int64_t block) const {
    return block_range(size_, blocks_, static_cast<int>(block));
}

Bytes SystemFiles::memory() const {
    return bytes_of<double>(divide_up(size_, blocks_) * size_);
}

void SystemFiles::prepare(bench::Session& session, const LinearSystem& system,
                          bench::Switch generate) const {
    const auto fill = [&](const bench::TileFile& file, std::span<double> elements) {
        const auto index = std::ranges::find(files_.files(), file.name, &bench::TileFile::name) -
                           files_.files().begin();
        const Range rows = rows_of(index % blocks_);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const auto place = static_cast<std::size_t>(row - rows.begin);
            if (index < blocks_) {
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

// The block that has a row: block_range() the other way round.
std::int64_t SystemFiles::block_of(std::int64_t row) const {
    return ((row + 1) * blocks_ - 1) / size_;
}

void SystemFiles::read_row(std::int64_t row, std::int64_t first_column,
                           std::span<double> out) const {
    const std::int64_t block = block_of(row);
    const Range rows = rows_of(block);
    const auto path = files_.path_of(block_file("A", block));
    read_npy(path, {rows.size(), size_}, out, (row - rows.begin) * size_ + first_column);
}

void SystemFiles::read_right_side(std::int64_t first_row, std::span<double> out) const {
    for (std::int64_t done = 0; done < std::ssize(out);) {
        const std::int64_t row = first_row + done;
        const std::int64_t block = block_of(row);
        const Range rows = rows_of(block);
        const std::int64_t count = std::min(rows.end - row, std::ssize(out) - done);
        const auto path = files_.path_of(block_file("b", block));
        read_npy(path, {rows.size()},
                 out.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)),
                 row - rows.begin);
        done += count;
    }
}

void SystemFiles::write_solution(const std::filesystem::path& folder,
                                 const comm::Communicator& world, std::span<const double> rows) {
    write_npy(folder / block_file("X", world.rank()), {std::ssize(rows)}, rows);
    remove_later_blocks(folder, "X", world.rank(), world.size());
}

}  // namespace quartet::cg
