#pragma once

#include <vector>

#include "bench/session/arena.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/transport_traits.hpp"
#include "matmul/problem/partition.hpp"

namespace quartet::matmul {

/// How the ranks of a node have the tiles of A and B in memory.
enum class OperandCopies {
    per_node,  ///< one in a shared window, of all that any rank of the node needs
    per_rank,  ///< each rank its own, of what it needs itself
};

/// One copy per node if the transport has shared windows, else one per rank.
OperandCopies copies_over(const comm::TransportTraits& transport);

/// Some rows of one tile column of A or B, row-major and dense: its tiles follow one another, so
/// that any number of tiles of one column are one matrix.
struct OperandPanel {
    Operand operand = Operand::a;
    std::int64_t column = 0;  ///< of tiles
    Range rows;               ///< elements
    int part = 0;             ///< of the node's window; 0 if each rank has its own copy
    Bytes offset;             ///< in that part
};

/// The layout of A and B in memory: the rows of A and the columns of B that a rank needs, or that
/// the ranks of its node need.
struct OperandLayout {
    OperandCopies copies = OperandCopies::per_rank;
    Block block;                         ///< of this rank
    std::vector<OperandPanel> panels;    ///< A's, then B's
    std::int64_t first_column_of_b = 0;  ///< tile column of the first panel of B
    Bytes allocated;                     ///< by this rank: its part of the window, or its copy

    /// Counts what this rank allocates.
    void count(bench::Arena& arena) const {
        arena.count(allocated, copies == OperandCopies::per_node ? bench::Room::host_window
                                                                 : bench::Room::host);
    }
};

/// For `rank`; `blocks` are those of all ranks. Panels are spread over the parts of a node's window
/// in turn. Local.
OperandLayout lay_out_operands(const Problem& problem, const std::vector<Block>& blocks, int rank,
                               const comm::Topology& topology, OperandCopies copies);

}  // namespace quartet::matmul
