#pragma once

#include <memory>
#include <vector>

#include "bench/session/session.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/product_dealer.hpp"
#include "matmul/dataflow/product_order.hpp"
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
class DataflowWorker {
  public:
    using Queues = std::vector<std::unique_ptr<flow::Queue>>;  ///< by reducer

    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem, const DataflowLayout& layout);

        FileSlots file_slots;
        device::Buffer<float> device_slots;
        device::Buffer<float> partials;  ///< one for each delivery, where they are copied out
    };

    /// `memory` has A and B where they are not in files. All is borrowed.
    DataflowWorker(const Problem& problem, const DataflowLayout& layout, TileSource& memory,
                   const ProductFiles& files, device::Device& device, const ProductOrder& order,
                   ProductDealer& dealer, const Queues& queues);

    /// Before each run, outside of the time.
    void prepare();
    /// All products of this worker; the queues are closed on return.
    void run(device::Stream& stream);

    /// In the last run.
    [[nodiscard]] Bytes read() const { return host_.fetched(); }
    /// To the GPU and from it, in the last run.
    [[nodiscard]] Bytes copied_in() const { return on_gpu_ ? on_gpu_->fetched() : Bytes{}; }
    [[nodiscard]] Bytes copied_out() const { return copied_out_; }

  private:
    /// A partial tile that is made and not pushed yet.
    struct Delivery {
        std::int64_t product = 0;
        device::View<float> partial;           ///< where it is made before it is copied out
        std::unique_ptr<device::Event> made;   ///< by the product
        std::unique_ptr<device::Event> ready;  ///< in the queue's memory
    };

    [[nodiscard]] TileSource& nearest() { return on_gpu_ ? *on_gpu_ : host_; }
    void fetch(WorkItem item);
    [[nodiscard]] flow::Queue& queue_of(std::int64_t product) const;
    [[nodiscard]] device::View<float> outgoing(std::int64_t product);
    void multiply(const WorkItem& item, device::Stream& stream);
    void copy_out(device::View<const float> partial, device::View<float> to, Delivery& delivery,
                  device::Stream& stream);
    void push_oldest();

    Problem problem_;
    const ProductOrder& order_;
    device::Device& device_;
    ProductDealer& dealer_;
    const Queues& queues_;
    bench::Arena arena_;
    Buffers buffers_;
    std::unique_ptr<TileSource> files_;  ///< where A and B are in files
    TileSource& host_;                   ///< these, or memory
    std::unique_ptr<DeviceSource> on_gpu_;
    SlotRing<WorkItem> items_;  ///< whose tiles are there or on their way
    std::int64_t from_files_;   ///< of them, at most
    std::int64_t begun_ = 0;    ///< items
    SlotRing<Delivery> deliveries_;
    Bytes copied_out_;
    std::unique_ptr<device::Stream> copying_;  ///< where partial tiles are copied out
};

}  // namespace quartet::matmul
