#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/checkpoint/tile_checkpoint.hpp"
#include "device/device.hpp"
#include "matmul/native/blocking.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// A product in a device's bounded memory, in the order of a TileSchedule. One stream fetches tiles
/// of A and B ahead into slots, another one stores complete tiles of C, both beside the products. A
/// slot is filled again when the last product that uses it is done; a slot of C is used again when
/// the tile before is stored. Derived classes say where tiles come from and go to.
class ScheduledProduct : public Product {
  public:
    void run(device::Stream& stream) final;
    [[nodiscard]] std::string note() const override;

  protected:
    /// The streams' names in a trace.
    struct StreamNames {
        std::string fetching;
        std::string storing;
    };
    /// Allocates `results` for the tiles of C that are held. With a checkpoint, which is borrowed,
    /// leaves out what was taken over, and ends early where any rank is asked to stop.
    ScheduledProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                     Bytes results, device::Device& device, const StreamNames& names,
                     bench::TileCheckpoint* checkpoint);

    /// Before the first product of a run.
    virtual void begin_run() = 0;
    /// Once for each product, in their order, before its tiles are fetched.
    virtual void begin_product() {}
    /// Enqueues what brings a tile into its slot.
    virtual void fetch(const Prefetch& prefetch, device::Stream& stream) = 0;
    /// Enqueues what stores a complete tile of C.
    virtual void store(TileIndex target, device::View<float> tile, device::Stream& stream) = 0;
    /// Once all tiles of C that are held are stored.
    virtual void end_part(device::Stream& stream) = 0;
    /// A tile in its slot.
    [[nodiscard]] virtual device::View<const float> elements(std::int64_t slot, TileIndex tile) = 0;
    /// Ends the streams when their work is done. For the destructor of the derived class, whose
    /// members they work on.
    void stop();
    /// Waits for streams of the derived class's own, and throws what their work has thrown.
    virtual void synchronize() {}

    [[nodiscard]] const Problem& problem() const { return problem_; }
    [[nodiscard]] const Block& block() const { return block_; }
    [[nodiscard]] const Blocking& blocking() const { return blocking_; }
    [[nodiscard]] bench::TileCheckpoint* checkpoint() { return checkpoint_; }
    [[nodiscard]] device::Stream& fetching() { return *fetching_; }
    [[nodiscard]] device::Stream& storing() { return *storing_; }
    /// A slot for a tile of C, as large as tiles get.
    [[nodiscard]] device::View<float> result_slot(std::int64_t index);

  private:
    struct Slot {
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };
    struct ResultSlot {
        std::unique_ptr<device::Event> complete;
        std::unique_ptr<device::Event> stored;
    };

    void finish(device::Stream& stream);
    void prefetch(const TileProduct& product);
    void multiply(const TileProduct& product, device::Stream& stream);
    void store_result(const TileProduct& product, device::View<float> tile, device::Stream& stream);

    Problem problem_;
    Block block_;
    Blocking blocking_;
    device::Device& device_;
    bench::TileCheckpoint* checkpoint_;
    TileSchedule schedule_;
    device::Buffer<float> held_;  ///< tiles of C
    std::vector<Slot> slots_;
    std::vector<ResultSlot> result_slots_;
    std::vector<TileProduct> ahead_;  ///< a ring of products whose prefetches are issued
    std::unique_ptr<device::Stream> fetching_;
    std::unique_ptr<device::Stream> storing_;
};

}  // namespace quartet::matmul
