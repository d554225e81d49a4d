#include "matmul/tiles/operands.hpp"

#include <algorithm>

#include "core/files/file.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

/// What the ranks that share memory need of A and of B.
struct Needs {
    PanelShape a;
    PanelShape b;
};

// The blocks of a node's ranks mostly lie side by side: what lies between them is had, too.
Block hull(const std::vector<Block>& blocks, const comm::Topology& topology, Sharing sharing) {
    const int me = topology.mine().local_rank;
    Block hull;
    int local = 0;
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
        const Block& block = blocks[rank];
        if (topology.of(static_cast<int>(rank)).node != topology.mine().node) {
            continue;
        }
        const bool mine = local++ == me;
        if (block.empty() || (sharing == Sharing::own_copy && !mine)) {
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

Needs needs_of(const Problem& problem, const Block& block) {
    const Range all = block.empty() ? Range{} : Range{0, problem.tiles()};
    return {{elements_of(problem, block.rows), all}, {elements_of(problem, all), block.columns}};
}

// Panels begin on pages, and so does each rank's part of a window.
Bytes panel_bytes(const Problem& problem, std::int64_t column, const Range& rows) {
    return direct_size(bytes_of<float>(rows.size() * problem.extent(column)));
}

/// Panels are dealt out to the parts of the node's ranks in turn.
class Places {
  public:
    Places(const comm::Topology& topology, Sharing sharing)
        : parts_(sharing == Sharing::one_copy ? topology.node().size() : 1),
          own_(sharing == Sharing::one_copy ? topology.node().rank() : 0),
          sizes_(static_cast<std::size_t>(parts_)) {}

    struct Place {
        int part = 0;
        Bytes offset;
    };
    Place next(Bytes size) {
        const int part = static_cast<int>(count_++ % parts_);
        Bytes& used = sizes_[static_cast<std::size_t>(part)];
        const Place place{part, used};
        used = used + size;
        return place;
    }
    [[nodiscard]] Bytes own_size() const { return sizes_[static_cast<std::size_t>(own_)]; }

  private:
    int parts_;
    int own_;
    std::vector<Bytes> sizes_;
    std::int64_t count_ = 0;
};

}  // namespace

Sharing sharing_over(std::string_view transport) {
    return transport == "shm" ? Sharing::one_copy : Sharing::own_copy;
}

OperandMemory Operands::memory(const Problem& problem, const std::vector<Block>& blocks,
                               const comm::Topology& topology, Sharing sharing) {
    const Needs needs = needs_of(problem, hull(blocks, topology, sharing));
    Places places(topology, sharing);
    for (const PanelShape& shape : {needs.a, needs.b}) {
        for (std::int64_t column = shape.columns.begin; column < shape.columns.end; ++column) {
            places.next(panel_bytes(problem, column, shape.rows));
        }
    }
    return {places.own_size(), sharing == Sharing::one_copy ? places.own_size() : Bytes{}};
}

Operands::Operands(const Problem& problem, const std::vector<Block>& blocks,
                   const comm::Topology& topology, Sharing sharing, device::Device& device,
                   int threads)
    : problem_(problem) {
    const Needs needs = needs_of(problem, hull(blocks, topology, sharing));
    const auto add = [&](Operand operand, const PanelShape& shape) {
        for (std::int64_t column = shape.columns.begin; column < shape.columns.end; ++column) {
            panels_.push_back({operand, column, shape.rows, nullptr});
        }
    };
    add(Operand::a, needs.a);
    add(Operand::b, needs.b);
    first_column_of_b_ = needs.b.columns.begin;
    int local = 0;
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
        if (topology.of(static_cast<int>(rank)).node == topology.mine().node &&
            local++ == topology.mine().local_rank) {
            block_ = blocks[rank];
        }
    }
    place(topology, sharing, device);
    fill(topology.node(), sharing, threads);
}

void Operands::place(const comm::Topology& topology, Sharing sharing, device::Device& device) {
    std::vector<Places::Place> where;
    Places places(topology, sharing);
    for (const Panel& panel : panels_) {
        where.push_back(places.next(panel_bytes(problem_, panel.column, panel.rows)));
    }
    if (sharing == Sharing::own_copy) {
        // What a GPU copies from is page-locked.
        const bool copied = device.memory_kind() == device::MemoryKind::device;
        memory_ = device.allocate(places.own_size(),
                                  copied ? device::MemoryKind::pinned : device::MemoryKind::host);
    } else {
        pool_.emplace(comm::WindowKind::shared, topology.node());
        memory_ = pool_->allocate(places.own_size());
    }
    for (std::size_t index = 0; index < panels_.size(); ++index) {
        std::byte* const part =
            pool_ ? pool_->window(0).part_of(where[index].part) : memory_.data.get();
        panels_[index].data = reinterpret_cast<float*>(part + where[index].offset.value);
    }
}

// In pieces of a tile, dealt out to the ranks that share them and to their threads in turn.
void Operands::fill(const comm::Communicator& node, Sharing sharing, int threads) {
    const std::int64_t ranks = sharing == Sharing::one_copy ? node.size() : 1;
    const std::int64_t rank = sharing == Sharing::one_copy ? node.rank() : 0;
    system::parallel_parts(threads, [&](int part) {
        std::int64_t piece = 0;
        for (const Panel& panel : panels_) {
            const std::int64_t width = problem_.extent(panel.column);
            for (std::int64_t row = panel.rows.begin; row < panel.rows.end; row += problem_.tile) {
                if (piece++ % (ranks * threads) != rank * threads + part) {
                    continue;
                }
                const std::int64_t count = std::min(problem_.tile, panel.rows.end - row);
                fill_rows(problem_, panel.operand == Operand::a ? "A" : "B", row, count,
                          panel.column,
                          {panel.data + (row - panel.rows.begin) * width,
                           static_cast<std::size_t>(count * width)});
            }
        }
    });
    if (pool_) {
        pool_->synchronise_memory();
        node.barrier();
        pool_->synchronise_memory();
    }
}

device::View<const float> Operands::rows_of(const Panel& panel, const Range& rows) const {
    const std::int64_t width = problem_.extent(panel.column);
    return {panel.data + (rows.begin - panel.rows.begin) * width, rows.size() * width,
            memory_.kind};
}

device::View<const float> Operands::a_rows(std::int64_t inner) const {
    return rows_of(panels_.at(static_cast<std::size_t>(inner)), elements_of(problem_, block_.rows));
}

device::View<const float> Operands::tile(Operand operand, TileIndex tile) const {
    const std::int64_t panel =
        operand == Operand::a ? tile.column : problem_.tiles() + tile.column - first_column_of_b_;
    return rows_of(panels_.at(static_cast<std::size_t>(panel)),
                   elements_of(problem_, {tile.row, tile.row + 1}));
}

}  // namespace quartet::matmul
