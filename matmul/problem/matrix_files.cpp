#include "matmul/problem/matrix_files.hpp"

#include <fmt/format.h>

#include <cstring>

namespace quartet::matmul {

namespace {

FileName file_of(const Folder& folder, std::string_view matrix, TileIndex tile) {
    std::array<char, 64> name{};
    const auto end = fmt::format_to_n(name.data(), name.size() - 1, "{}_{}_{}.npy", matrix,
                                      tile.row, tile.column);
    return {folder, {name.data(), end.size}};
}

FileName spare_of(const Folder& folder, TileIndex tile) {
    return file_of(folder, "C", tile).with_suffix(".spare");
}

}  // namespace

MatrixFiles::MatrixFiles(const std::filesystem::path& folder, const Problem& problem,
                         FileCache cache)
    : folder_(folder), problem_(problem), cache_(cache) {
    const std::array<std::int64_t, 2> extents{problem.extent(0),
                                              problem.extent(problem.tiles() - 1)};
    for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t column = 0; column < 2; ++column) {
            headers_.at(row).at(column) =
                format_npy_header(ElementType::f4, {extents.at(row), extents.at(column)});
        }
    }
}

Bytes MatrixFiles::slot_bytes(const Problem& problem) {
    return direct_size(problem.tile_bytes() + elements_offset);
}

std::span<const float> MatrixFiles::read(std::string_view matrix, TileIndex tile,
                                         std::span<std::byte> slot) const {
    const FileName name = file_of(folder_, matrix, tile);
    const InputFile input(name, cache_);
    const Bytes wanted = bytes_of<float>(problem_.elements(tile));
    const std::string& header = header_of(tile);
    const Bytes size = input.read(Bytes{}, slot);
    if (size < elements_offset || std::memcmp(slot.data(), header.data(), header.size()) != 0) {
        throw NpyError(NpyProblem::wrong_magic, name.path(),
                       "it does not begin as such a tile does");
    }
    const Bytes found = input.size() - elements_offset;
    if (found != wanted) {
        throw NpyError(
            found < wanted ? NpyProblem::short_file : NpyProblem::long_file, name.path(),
            fmt::format("{} B of elements where {} B are expected", found.value, wanted.value));
    }
    return {reinterpret_cast<const float*>(slot.data() + elements_offset.value),
            static_cast<std::size_t>(problem_.elements(tile))};
}

const std::string& MatrixFiles::header_of(TileIndex tile) const {
    const std::int64_t last = problem_.tiles() - 1;
    return headers_.at(tile.row == last ? 1 : 0).at(tile.column == last ? 1 : 0);
}

void MatrixFiles::write(TileIndex tile, std::span<const float> elements) const {
    OutputFile output(file_of(folder_, "C", tile), spare_of(folder_, tile));
    output.write(std::as_bytes(std::span(header_of(tile))));
    output.write(std::as_bytes(elements));
    output.commit();
}

void MatrixFiles::put_aside(TileIndex tile) const {
    const FileName result = file_of(folder_, "C", tile);
    folder_.rename(result.name(), spare_of(folder_, tile).name());
    folder_.remove(result.name());  // still there where both names were one file's
}

void MatrixFiles::remove(TileIndex tile) const {
    folder_.remove(file_of(folder_, "C", tile).name());
    folder_.remove(spare_of(folder_, tile).name());
}

void MatrixFiles::forget(std::string_view matrix, TileIndex tile) const {
    quartet::forget(file_of(folder_, matrix, tile));
}

void forget_inputs(const MatrixFiles& files, const Problem& problem, const Block& block) {
    if (files.cache() != FileCache::drop) {
        return;
    }
    for (std::int64_t inner = 0; inner < problem.tiles(); ++inner) {
        for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
            files.forget("A", {row, inner});
        }
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            files.forget("B", {inner, column});
        }
    }
}

}  // namespace quartet::matmul
