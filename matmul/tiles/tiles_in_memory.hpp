#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "comm/topology/topology.hpp"
#include "comm/transport/transport_traits.hpp"
#include "comm/windows/window_pool.hpp"
#include "matmul/tiles/tile_transfers.hpp"

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

/// A and B in the host's memory, filled in parallel by the ranks that share a copy. Nothing is
/// brought: slots mean nothing here.
class MemorySource final : public TileSource {
  public:
    /// Allocates what layout.count() counts. Collective over `node`, the ranks of this node.
    MemorySource(const Problem& problem, OperandLayout layout, const comm::Communicator& node,
                 device::Device& device, int threads);

    /// Rows of this rank's block, columns of tile column `inner` of A.
    [[nodiscard]] device::View<const float> a_rows(std::int64_t inner) const;
    [[nodiscard]] device::View<const float> tile(Operand operand, TileIndex tile) const;
    [[nodiscard]] OperandCopies copies() const { return layout_.copies; }

    void fetch(const Fetch& /*fetch*/) override {}
    device::View<const float> tile(const Fetch& fetch, device::Stream& /*stream*/) override {
        return tile(fetch.operand, fetch.tile);
    }
    void release(std::int64_t /*slot*/, device::Stream& /*stream*/) override {}
    std::span<const float> read(std::string_view matrix, TileIndex index) override {
        return tile(matrix == name(Operand::a) ? Operand::a : Operand::b, index).span();
    }
    [[nodiscard]] device::View<const std::byte> memory() const override;

  private:
    void allocate(const comm::Communicator& node, device::Device& device);
    void fill(const comm::Communicator& node, int threads);
    [[nodiscard]] float* data_of(const OperandPanel& panel) const;
    [[nodiscard]] device::View<const float> rows_of(std::int64_t panel, const Range& rows) const;

    Problem problem_;
    OperandLayout layout_;
    std::optional<comm::WindowPool> pool_;
    device::Allocation memory_;  ///< before its pool in destruction
};

/// A block of C in the host's memory, in columns of tiles (offset_in_block()).
class MemorySink final : public TileSink {
  public:
    MemorySink(bench::Arena& arena, const Problem& problem, const Block& block,
               device::Device& device)
        : problem_(problem),
          block_(block),
          device_(device),
          memory_(memory(arena, problem, block)) {}
    /// The memory of one. Local.
    static device::Buffer<float> memory(bench::Arena& arena, const Problem& problem,
                                        const Block& block) {
        return arena.make<float>(elements_in(problem, block), bench::Room::host);
    }

    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override {
        device_.copy(as_bytes(from), as_bytes(view(tile)), stream);
    }
    std::span<const float> result(TileIndex tile, TileSource& /*source*/) override {
        return view(tile).span();
    }
    /// A tile where it lies, and the tile column that lies behind it.
    [[nodiscard]] device::View<float> view(TileIndex tile) {
        return part(tile, problem_.elements(tile));
    }
    [[nodiscard]] device::View<float> column(std::int64_t index) {
        return part({block_.rows.begin, index},
                    elements_of(problem_, block_.rows).size() * problem_.extent(index));
    }
    /// All of it.
    [[nodiscard]] std::span<float> elements() { return memory_.span(); }

  private:
    [[nodiscard]] device::View<float> part(TileIndex first, std::int64_t elements) {
        return memory_.view().part(offset_in_block(problem_, block_, first), elements);
    }

    Problem problem_;
    Block block_;
    device::Device& device_;
    device::Buffer<float> memory_;
};

}  // namespace quartet::matmul
