#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "comm/topology/topology.hpp"
#include "comm/transport/shared/window_pool.hpp"
#include "device/device.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// How the ranks of a node have the tiles of A and B in memory.
enum class Sharing {
    one_copy,  ///< in a shared window, what any rank of the node needs
    own_copy,  ///< each rank what it needs itself
};

/// Over shared windows one copy, else each its own.
Sharing sharing_over(std::string_view transport);

/// Rows [begin, end) of some tile columns of a matrix. Each column is a panel, row-major and dense:
/// its tiles follow one another, so that any number of tiles of one column are one matrix.
struct PanelShape {
    Range rows;     ///< elements
    Range columns;  ///< tiles
};

/// What a rank takes, and what of it lies in shared windows.
struct OperandMemory {
    Bytes all;
    Bytes shared;
};

/// A and B in memory, as the ranks of a node need them: the rows of A, the columns of B. Made in
/// parallel by the ranks that share them.
class Operands {
  public:
    /// `blocks`: of all ranks. Collective over the node's ranks.
    Operands(const Problem& problem, const std::vector<Block>& blocks,
             const comm::Topology& topology, Sharing sharing, device::Device& device, int threads);

    /// Rows of this rank's block, columns of tile column `inner` of A.
    [[nodiscard]] device::View<const float> a_rows(std::int64_t inner) const;
    [[nodiscard]] device::View<const float> tile(Operand operand, TileIndex tile) const;

    /// Of this rank.
    static OperandMemory memory(const Problem& problem, const std::vector<Block>& blocks,
                                const comm::Topology& topology, Sharing sharing);

  private:
    struct Panel {
        Operand operand = Operand::a;
        std::int64_t column = 0;
        Range rows;
        float* data = nullptr;
    };

    void place(const comm::Topology& topology, Sharing sharing, device::Device& device);
    void fill(const comm::Communicator& node, Sharing sharing, int threads);
    [[nodiscard]] device::View<const float> rows_of(const Panel& panel, const Range& rows) const;

    Problem problem_;
    Block block_;
    std::vector<Panel> panels_;       ///< A's, then B's
    std::int64_t first_column_of_b_;  ///< tile column of the first panel of B
    std::optional<comm::WindowPool> pool_;
    device::Allocation memory_;  ///< before its pool in destruction
};

}  // namespace quartet::matmul
