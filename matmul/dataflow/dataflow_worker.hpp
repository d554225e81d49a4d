#pragma once

#include <memory>

#include "matmul/dataflow/dataflow_product.hpp"
#include "matmul/dataflow/slot_ring.hpp"
#include "matmul/tiles/device_source.hpp"
#include "matmul/tiles/file_source.hpp"

namespace quartet::matmul {

/// A worker of the data flow: it brings the tiles of A and B to where it computes, some products
/// ahead and anew for each product, as published ("each loads A(i,k), B(k,j)", VI.B), them, and
/// pushes the partial tile to the queue of the reducer that owns the target. The product is written
/// to memory that the queue sends from; a GPU whose queue has that on the host writes to its own,
/// and a stream copies it out beside the next product. On a GPU a product is enqueued before the
/// one before is pushed.
class DataflowWorker final : public DataflowProduct {
  public:
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const DataflowShape& shape);

        FileSlots file_slots;
        device::Buffer<float> device_slots;
        device::Buffer<float> partials;  ///< one for each delivery, where they are copied out
    };

    DataflowWorker(const Problem& problem, const DataflowShape& shape, bench::Session& session,
                   comm::Transport& transport, const ProductFiles& files);

    void prepare() override;
    /// All products of this worker; the queues are closed on return.
    void run(device::Stream& stream) override;
    [[nodiscard]] Traffic traffic() const override {
        return {.read = from_files_ ? from_files_->fetched() : Bytes{}, .written = {}};
    }
    [[nodiscard]] Traffic copied() const override {
        return {.read = on_gpu_ ? on_gpu_->fetched() : Bytes{}, .written = copied_out_};
    }

  private:
    /// A partial tile that is made and not pushed yet.
    struct Delivery {
        std::int64_t product = 0;
        device::View<float> partial;           ///< where it is made before it is copied out
        std::unique_ptr<device::Event> made;   ///< by the product
        std::unique_ptr<device::Event> ready;  ///< in the queue's memory
    };

    [[nodiscard]] TileSource& host() {
        return from_files_ ? static_cast<TileSource&>(*from_files_) : inputs_;
    }
    [[nodiscard]] TileSource& nearest() { return on_gpu_ ? *on_gpu_ : host(); }
    void fetch(WorkItem item);
    [[nodiscard]] flow::Queue& queue_of(std::int64_t product) const;
    [[nodiscard]] device::View<float> outgoing(std::int64_t product);
    void multiply(const WorkItem& item, device::Stream& stream);
    void copy_out(device::View<const float> partial, device::View<float> to, Delivery& delivery,
                  device::Stream& stream);
    void push_oldest();

    device::Device& device_;
    bench::Arena arena_;
    Buffers buffers_;
    std::unique_ptr<FileSource> from_files_;  ///< null if A and B are in memory
    std::unique_ptr<DeviceSource> on_gpu_;
    SlotRing<WorkItem> items_;  ///< whose tiles are there or on their way
    std::int64_t begun_ = 0;    ///< items
    SlotRing<Delivery> deliveries_;
    Bytes copied_out_;
    std::unique_ptr<device::Stream> copying_;  ///< where partial tiles are copied out
};

}  // namespace quartet::matmul
