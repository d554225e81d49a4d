#include "matmul/files.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "core/files/npy.hpp"

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
        throw NpyError(name.path(), "its header is not that of such a tile");
    }
    const Bytes found = input.size() - elements_offset;
    if (found != wanted) {
        throw NpyError(name.path(), fmt::format("{} B of elements where {} B are expected",
                                                found.value, wanted.value));
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
    folder_.remove(result.name());  // still there if both names are links to one file
}

void MatrixFiles::remove(TileIndex tile) const {
    folder_.remove(file_of(folder_, "C", tile).name());
    folder_.remove(spare_of(folder_, tile).name());
}

void MatrixFiles::forget_inputs(const Block& block) const {
    if (cache_ != FileCache::drop) {
        return;
    }
    const Range inner{0, problem_.tiles()};
    for_each_tile({block.rows, inner},
                  [this](TileIndex tile) { forget(file_of(folder_, "A", tile)); });
    for_each_tile({inner, block.columns},
                  [this](TileIndex tile) { forget(file_of(folder_, "B", tile)); });
}

namespace {

// Buffers are aligned to cache lines at least; direct input needs more.
std::int64_t bytes_to_alignment(const std::byte* data) {
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) % direct_alignment;
    return (direct_alignment - misaligned) % direct_alignment;
}

}  // namespace

FileSlots::FileSlots(device::Arena& arena, const Problem& problem, std::int64_t count)
    : problem_(problem),
      memory_(arena.make<std::byte>(
          count == 0 ? 0 : count * MatrixFiles::slot_bytes(problem).value + direct_alignment,
          device::MemoryKind::pinned)),
      first_(bytes_to_alignment(memory_.view().data())) {}

device::View<std::byte> FileSlots::slot(std::int64_t index) {
    const std::int64_t size = MatrixFiles::slot_bytes(problem_).value;
    return memory_.view().part(first_ + index * size, size);
}

device::View<const float> FileSlots::elements(std::int64_t index, TileIndex tile) {
    return device::view_as<float>(slot(index).part(MatrixFiles::elements_offset.value,
                                                   bytes_of<float>(problem_.elements(tile)).value));
}

ResultFiles::~ResultFiles() {
    if (files_.keep == bench::Switch::on) {
        return;
    }
    for_each_tile(block_, [&](TileIndex tile) {
        try {
            files_.matrices->remove(tile);
        } catch (...) {
            return;  // the others may still be removed
        }
    });
}

void ResultFiles::prepare() {
    written_ = {};
    const bool first = !std::exchange(has_prepared_, true);
    const bool write_over = files_.matrices->cache() == FileCache::warm && !first;
    for_each_tile(block_, [&](TileIndex tile) {
        write_over ? files_.matrices->put_aside(tile) : files_.matrices->remove(tile);
    });
}

void ResultFiles::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    stream.enqueue(Phase::copy_out, "tile", [this, tile, from] {
        files_.matrices->write(tile, from.span());
        written_ = written_ + from.bytes();
    });
}

}  // namespace quartet::matmul
