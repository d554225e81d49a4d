#include "matmul/matrices.hpp"

#include <algorithm>
#include <atomic>

#include "core/files/file.hpp"
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

OperandLayout lay_out_operands(const Problem& problem, const std::vector<Block>& blocks, int rank,
                               const comm::Topology& topology, OperandCopies copies) {
    const Block needed = hull(blocks, topology, rank, copies);
    const bool shared = copies == OperandCopies::per_node;
    std::vector<Bytes> parts(shared ? static_cast<std::size_t>(topology.node().size()) : 1);

    OperandLayout layout{.copies = copies,
                         .block = blocks[static_cast<std::size_t>(rank)],
                         .panels = {},
                         .first_column_of_b = needed.columns.begin,
                         .allocated = {}};
    const auto add = [&](Operand operand, const Range& columns, const Range& rows) {
        for (std::int64_t column = columns.begin; column < columns.end; ++column) {
            const std::size_t part = layout.panels.size() % parts.size();
            layout.panels.push_back({operand, column, rows, static_cast<int>(part), parts[part]});
            parts[part] = parts[part] + panel_bytes(problem, column, rows);
        }
    };
    const Range all = needed.empty() ? Range{} : Range{0, problem.tiles()};
    add(Operand::a, all, elements_of(problem, needed.rows));
    add(Operand::b, needed.columns, elements_of(problem, all));
    layout.allocated = parts[shared ? static_cast<std::size_t>(topology.node().rank()) : 0];
    return layout;
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

}  // namespace quartet::matmul
