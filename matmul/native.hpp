#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "matmul/plan.hpp"

namespace quartet::matmul {

/// A product of matrices that lie in the host's memory.
class MemoryProduct : public Product {
  public:
    /// Collective over `node`, the ranks of this node; local while the arena plans.
    MemoryProduct(device::Arena& arena, const Problem& problem, const OperandLayout& layout,
                  const comm::Communicator& node)
        : problem_(problem),
          block_(layout.block),
          device_(arena.device()),
          inputs_(arena, problem, layout, node),
          results_(arena, problem, layout.block) {}

    void set_up() override { inputs_.fill(); }
    std::span<const float> input(Operand operand, TileIndex tile) override {
        return inputs_.tile(operand, tile).span();
    }
    std::span<const float> result(TileIndex tile) override { return results_.tile(tile).span(); }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }

  protected:
    Problem problem_;
    Block block_;
    device::Device& device_;
    HostInputs inputs_;
    HostResult results_;
};

/// A part of C that is computed at once.
struct Strip {
    Range rows;     ///< elements, counted from the first row of the rank's block
    Range columns;  ///< of tiles, counted from its first tile column
};

/// A product of matrices in the host's memory by a GPU whose memory holds all three. One stream
/// copies A and B in, one copies C out, both beside the products.
class InCoreProduct final : public MemoryProduct {
  public:
    /// Collective over `node`; local while the arena plans.
    InCoreProduct(device::Arena& arena, const Problem& problem, const OperandLayout& layout,
                  std::int64_t height, const comm::Communicator& node);

    void run(device::Stream& stream) override;
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// Bytes that the last run copied to the GPU and from it.
    [[nodiscard]] Traffic copied() const { return copied_; }

  private:
    /// The rows of A and columns of B that earlier strips have copied to the GPU.
    struct Corner {
        std::int64_t rows = 0;
        std::int64_t columns = 0;
    };

    void bring(const Strip& strip, const Corner& corner, std::int64_t inner);
    void multiply(const Strip& strip, std::int64_t inner, device::Stream& stream);
    void store(const Range& rows, std::int64_t column, device::Stream& stream);
    void copy_in(device::View<const float> from, device::View<float> to);
    [[nodiscard]] device::View<float> a_of(const Range& rows, std::int64_t inner);
    [[nodiscard]] device::View<float> b_of(std::int64_t inner, std::int64_t column);
    [[nodiscard]] device::View<float> c_of(const Range& rows, std::int64_t column);

    std::int64_t rows_;  ///< elements of the block
    std::int64_t height_;
    // The GPU's copies of the block's rows of A, in columns of tiles as on the host, its columns
    // of B, and its C.
    device::Buffer<float> a_;
    device::Buffer<float> b_;
    device::Buffer<float> c_;
    std::vector<Strip> strips_;
    Traffic copied_;
    std::unique_ptr<device::Event> brought_;
    std::unique_ptr<device::Event> complete_;
    std::unique_ptr<device::Stream> copying_in_;
    std::unique_ptr<device::Stream> copying_out_;
};

/// The tiles that a rank holds while it goes through its block of C in bounded memory: C in parts
/// of at most rows x columns tiles. For each inner index a part needs a panel: a column of A's
/// tiles and a row of B's. The tiles of the panel's shorter side stay for all its products, and
/// have two buffers: the next panel's tiles come meanwhile. The tiles of the longer side come one
/// after the other, into two buffers.
struct Blocking {
    std::int64_t rows = 1;
    std::int64_t columns = 1;

    [[nodiscard]] bool rows_are_longer() const { return rows >= columns; }
    [[nodiscard]] std::int64_t shorter() const { return rows_are_longer() ? columns : rows; }
    /// How many tiles of C are held, and how many slots there are for tiles of A and B.
    [[nodiscard]] std::int64_t held() const { return rows * columns; }
    [[nodiscard]] std::int64_t slots() const { return 2 * shorter() + 2; }
    /// The slots for A and B that any order of products needs at least.
    [[nodiscard]] std::int64_t fewest_slots() const { return shorter() + 1; }
};

/// How one rank multiplies in bounded memory, before anything is allocated: on the host from files,
/// or on a GPU from the host's memory, or from files through it.
struct PanelPlan {
    Blocking blocking{};
    Traffic traffic{};  ///< to and from the memory that the products are made in
    Bytes best{};       ///< the least traffic there that is possible with whole tiles
    TilePlaces places{};
};

/// The traffic of a rank's block, elements only: each part fetches its rows of A and its columns of
/// B once. Files have headers, too.
Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking);
/// The least of any blocking: the block in one part.
inline Traffic least_traffic(const Problem& problem, const Block& block) {
    return planned_traffic(problem, block, {block.rows.size(), block.columns.size()});
}

/// The plan of `block` for products on the host, from files. Throws UsageError that says what is
/// needed where the memory does not hold the least plan. Local.
PanelPlan plan_host(const Problem& problem, const Block& block, const MemoryBudget& budget);
/// The plan for products on a GPU, likewise; `from_files` is the host's budget where tiles are in
/// files. Local.
PanelPlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget,
                      const std::optional<MemoryBudget>& from_files = {});

/// A plan in words, for --dry-run.
std::string describe(const PanelPlan& plan);

/// A product in bounded memory, part by part of C, panel by panel. On a GPU the host's memory, or
/// the disk behind it, bounds the matrices.
class PanelProduct final : public Product {
  public:
    /// From `files`, or from `inputs` if they are in memory, where C is then made, too. Borrows the
    /// arena's device.
    PanelProduct(device::Arena& arena, const Problem& problem, const Block& block,
                 const PanelPlan& plan, const ProductFiles& files,
                 std::unique_ptr<HostInputs> inputs);

    void set_up() override {
        if (inputs_) {
            inputs_->fill();
        }
    }
    void prepare() override;
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_ ? inputs_->memory() : device::View<const std::byte>();
    }
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override;

    /// Bytes that the last run read from files and wrote to them, and that it copied to a GPU and
    /// from it, counted where it was done.
    [[nodiscard]] Traffic traffic() const { return {loader_.read(), storer_.written()}; }
    [[nodiscard]] Traffic copied() const { return {loader_.copied(), storer_.copied()}; }

  private:
    /// One inner index of a part of C. Sides are ranges of tiles; the longer one has the steps.
    struct Panel {
        Range longer;
        Range shorter;
        std::int64_t inner = 0;
        std::int64_t number = 0;
    };
    struct HeldTile {
        device::View<float> memory;
        std::unique_ptr<device::Event> complete;
        std::unique_ptr<device::Event> stored;
    };

    [[nodiscard]] std::int64_t panels() const;
    /// The panel of that number; empty beyond the last one.
    [[nodiscard]] Panel panel(std::int64_t number) const;
    /// Tiles of a panel's sides, by their place there; steps count from the run's beginning.
    [[nodiscard]] Fetch longer_tile(const Panel& panel, std::int64_t place,
                                    std::int64_t step) const;
    [[nodiscard]] Fetch shorter_tile(const Panel& panel, std::int64_t place) const;
    void multiply(const Panel& panel, std::int64_t place, std::int64_t step,
                  device::Stream& stream);

    Problem problem_;
    Block block_;
    PanelPlan plan_;
    device::Device& device_;
    std::shared_ptr<const MatrixFiles> files_;  ///< null if A, B and C are in memory
    std::unique_ptr<HostInputs> inputs_;        ///< null if they are in files
    std::optional<HostResult> result_;
    device::Buffer<float> memory_;  ///< of the held tiles
    std::vector<HeldTile> held_;
    TileLoader loader_;
    TileStorer storer_;
};

}  // namespace quartet::matmul
