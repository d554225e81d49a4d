#include "matmul/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/files/npy.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

// The blocks of the ranks that share a copy mostly lie side by side: their hull is stored.
Block hull(const std::vector<Block>& blocks, const comm::Topology& topology, int rank,
           OperandCopies copies) {
    Block hull;
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        const Block& block = blocks[index];
        const int other = static_cast<int>(index);
        const bool shares =
            copies == OperandCopies::per_node ? topology.same_node(rank, other) : rank == other;
        if (block.empty() || !shares) {
            continue;
        }
        if (hull.empty()) {
            hull = block;
        }
        hull.rows = {std::min(hull.rows.begin, block.rows.begin),
                     std::max(hull.rows.end, block.rows.end)};
        hull.columns = {std::min(hull.columns.begin, block.columns.begin),
                        std::max(hull.columns.end, block.columns.end)};
    }
    return hull;
}

// Panels begin on pages, and so does each rank's part of a window.
Bytes panel_bytes(const Problem& problem, std::int64_t column, const Range& rows) {
    return direct_size(bytes_of<float>(rows.size() * problem.extent(column)));
}

}  // namespace

OperandCopies copies_over(const comm::TransportTraits& transport) {
    return transport.receive == comm::Receive::in_place ? OperandCopies::per_node
                                                        : OperandCopies::per_rank;
}

OperandLayout::OperandLayout(const Problem& problem, const std::vector<Block>& blocks, int rank,
                             const comm::Topology& topology, OperandCopies sharing)
    : copies(sharing), block(blocks[static_cast<std::size_t>(rank)]) {
    const Block needed = hull(blocks, topology, rank, copies);
    const bool shared = copies == OperandCopies::per_node;
    std::vector<Bytes> parts(shared ? static_cast<std::size_t>(topology.node().size()) : 1);
    const auto add = [&](Operand operand, const Range& columns, const Range& rows) {
        for (std::int64_t column = columns.begin; column < columns.end; ++column) {
            const std::size_t part = panels.size() % parts.size();
            panels.push_back({operand, column, rows, static_cast<int>(part), parts[part]});
            parts[part] = parts[part] + panel_bytes(problem, column, rows);
        }
    };
    const Range all = needed.empty() ? Range{} : Range{0, problem.tiles()};
    add(Operand::a, all, elements_of(problem, needed.rows));
    add(Operand::b, needed.columns, elements_of(problem, all));
    first_column_of_b = needed.columns.begin;
    allocated = parts[shared ? static_cast<std::size_t>(topology.node().rank()) : 0];
}

HostInputs::HostInputs(device::Arena& arena, const Problem& problem, OperandLayout layout,
                       const comm::Communicator& node)
    : problem_(problem),
      layout_(std::move(layout)),
      node_(node),
      threads_(arena.device().threads()),
      memory_(allocate(arena)) {
    parts_ = shared_ ? shared_->parts(memory_.view().data()) : std::vector{memory_.view()};
}

device::Buffer<std::byte> HostInputs::allocate(device::Arena& arena) {
    const Bytes size = layout_.allocated;
    if (layout_.copies == OperandCopies::per_rank || arena.plans()) {
        return arena.make<std::byte>(size.value, device::MemoryKind::pinned);
    }
    arena.reserve(size);
    shared_.emplace(node_, arena.device().accelerator());
    return {shared_->allocate(size), size.value};
}

float* HostInputs::data_of(const OperandPanel& panel) const {
    std::byte* const part = parts_[static_cast<std::size_t>(panel.part)].data();
    return reinterpret_cast<float*>(part + panel.offset.value);
}

// Tiles are spread over the ranks that share a copy and over their threads in turn.
void HostInputs::fill() {
    const std::int64_t ranks = shared_ ? node_.size() : 1;
    const std::int64_t rank = shared_ ? node_.rank() : 0;
    system::parallel_parts(threads_, [&](int part) {
        std::int64_t tile = 0;
        for (const OperandPanel& panel : layout_.panels) {
            const std::int64_t width = problem_.extent(panel.column);
            for (std::int64_t row = panel.rows.begin; row < panel.rows.end; row += problem_.tile) {
                if (tile++ % (ranks * threads_) != rank * threads_ + part) {
                    continue;
                }
                const std::int64_t count = std::min(problem_.tile, panel.rows.end - row);
                fill_rows(problem_, name(panel.operand), row, count, panel.column,
                          {data_of(panel) + (row - panel.rows.begin) * width,
                           static_cast<std::size_t>(count * width)});
            }
        }
    });
    if (shared_) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        node_.barrier();
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
}

device::View<const float> HostInputs::rows_of(std::int64_t panel_index, const Range& rows) const {
    const OperandPanel& panel = layout_.panels.at(static_cast<std::size_t>(panel_index));
    const std::int64_t width = problem_.extent(panel.column);
    return {data_of(panel) + (rows.begin - panel.rows.begin) * width, rows.size() * width,
            memory_.view().kind()};
}

device::View<const float> HostInputs::tile(Operand operand, TileIndex tile) const {
    const std::int64_t panel = operand == Operand::a
                                   ? tile.column
                                   : problem_.tiles() + tile.column - layout_.first_column_of_b;
    return rows_of(panel, elements_of(problem_, Range{tile.row, tile.row + 1}));
}

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

FileSlots::FileSlots(device::Arena& arena, const Problem& problem, std::int64_t count)
    : problem_(problem),
      memory_(arena.make<std::byte>(
          count == 0 ? 0 : count * MatrixFiles::slot_bytes(problem).value + direct_alignment,
          device::MemoryKind::pinned)) {
    // Buffers are aligned to cache lines at least; direct input needs more.
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory_.view().data())) %
        direct_alignment;
    first_ = (direct_alignment - misaligned) % direct_alignment;
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
