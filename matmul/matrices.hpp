#pragma once

#include <optional>
#include <vector>

#include "comm/topology/topology.hpp"
#include "comm/transport/shared_memory.hpp"
#include "comm/transport/transport.hpp"
#include "device/arena.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// How the ranks of a node have the tiles of A and B in memory.
enum class OperandCopies {
    per_node,  ///< one copy in shared memory, of all tiles that any rank of the node needs
    per_rank,  ///< each rank has a copy of the tiles that it needs
};

/// One copy per node if the transport reads in place, else one per rank.
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
};

/// The layout of `rank`; `blocks` has the block of each rank. Panels are spread over the parts of a
/// node's window in turn. Local.
OperandLayout lay_out_operands(const Problem& problem, const std::vector<Block>& blocks, int rank,
                               const comm::Topology& topology, OperandCopies copies);

/// A and B in the host's memory, filled in parallel by the ranks that share a copy.
class HostInputs {
  public:
    /// Collective over `node`, the ranks of this node; local while the arena plans. Borrows `node`.
    HostInputs(device::Arena& arena, const Problem& problem, OperandLayout layout,
               const comm::Communicator& node);

    /// Writes the tiles. Collective over the node.
    void fill();

    /// Rows of this rank's block, columns of tile column `inner` of A.
    [[nodiscard]] device::View<const float> a_rows(std::int64_t inner) const {
        return rows_of(inner, elements_of(problem_, layout_.block.rows));
    }
    [[nodiscard]] device::View<const float> tile(Operand operand, TileIndex tile) const;
    [[nodiscard]] OperandCopies copies() const { return layout_.copies; }
    /// What this rank allocated.
    [[nodiscard]] device::View<const std::byte> memory() const { return memory_.view(); }

  private:
    [[nodiscard]] device::Buffer<std::byte> allocate(device::Arena& arena);
    [[nodiscard]] float* data_of(const OperandPanel& panel) const;
    [[nodiscard]] device::View<const float> rows_of(std::int64_t panel, const Range& rows) const;

    Problem problem_;
    OperandLayout layout_;
    const comm::Communicator& node_;
    int threads_;
    std::optional<comm::SharedMemory> shared_;
    device::Buffer<std::byte> memory_;            ///< destroyed before shared_
    std::vector<device::View<std::byte>> parts_;  ///< of the node's ranks, or this one's alone
};

/// A block of C in the host's memory, in columns of tiles (offset_in_block()).
class HostResult {
  public:
    HostResult(device::Arena& arena, const Problem& problem, const Block& block)
        : problem_(problem),
          block_(block),
          memory_(arena.make<float>(elements_in(problem, block), device::MemoryKind::pinned)) {}

    [[nodiscard]] device::View<float> tile(TileIndex tile) {
        return part(tile, problem_.elements(tile));
    }
    [[nodiscard]] device::View<float> column(std::int64_t index) {
        return part({block_.rows.begin, index},
                    elements_of(problem_, block_.rows).size() * problem_.extent(index));
    }

  private:
    [[nodiscard]] device::View<float> part(TileIndex first, std::int64_t elements) {
        return memory_.view().part(offset_in_block(problem_, block_, first), elements);
    }

    Problem problem_;
    Block block_;
    device::Buffer<float> memory_;
};

}  // namespace quartet::matmul
