#include "matmul/tiles/operand_layout.hpp"

#include <algorithm>

#include "core/files/file.hpp"

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
    return transport.windows == comm::WindowKind::shared ? OperandCopies::per_node
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

}  // namespace quartet::matmul
