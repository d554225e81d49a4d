#pragma once

#include <memory>
#include <vector>

#include "bench/session/session.hpp"
#include "flow/queue.hpp"
#include "matmul/dataflow/dataflow_plan.hpp"
#include "matmul/dataflow/product_dealer.hpp"
#include "matmul/dataflow/product_order.hpp"
#include "matmul/dataflow/slot_ring.hpp"

namespace quartet::matmul {

/// A worker of the data flow: it multiplies a tile of A by a tile of B, and pushes the partial tile
/// to the queue of the reducer that owns the target. The product is written to memory that the
/// queue sends from; a GPU whose queue has that on the host writes to its own, and a stream copies
/// it out beside the next product. On a GPU a product is enqueued before the one before is pushed.
class DataflowWorker {
  public:
    using Queues = std::vector<std::unique_ptr<flow::Queue>>;  ///< by reducer

    /// Allocates plan.partials. All but `tiles` is borrowed.
    DataflowWorker(const Problem& problem, const DataflowPlan& plan, device::Device& device,
                   std::unique_ptr<WorkerTiles> tiles, const ProductOrder& order,
                   ProductDealer& dealer, const Queues& queues);

    /// Before each run, outside of the time.
    void prepare();
    /// All products of this worker; the queues are closed on return.
    void run(device::Stream& stream);

    /// In the last run.
    [[nodiscard]] Bytes read() const { return tiles_->read(); }
    /// To the GPU and from it, in the last run.
    [[nodiscard]] Bytes copied_in() const { return tiles_->copied(); }
    [[nodiscard]] Bytes copied_out() const { return copied_out_; }

  private:
    /// A partial tile that is made and not pushed yet.
    struct Delivery {
        std::int64_t product = 0;
        device::View<float> partial;           ///< where it is made before it is copied out
        std::unique_ptr<device::Event> made;   ///< by the product
        std::unique_ptr<device::Event> ready;  ///< in the queue's memory
    };

    [[nodiscard]] flow::Queue& queue_of(std::int64_t product) const;
    [[nodiscard]] device::View<float> outgoing(std::int64_t product);
    void multiply(const WorkerTiles::Tiles& tiles, device::Stream& stream);
    void copy_out(device::View<const float> partial, device::View<float> to, Delivery& delivery,
                  device::Stream& stream);
    void push_oldest();

    Problem problem_;
    const ProductOrder& order_;
    device::Device& device_;
    std::unique_ptr<WorkerTiles> tiles_;
    ProductDealer& dealer_;
    const Queues& queues_;
    device::Buffer<float> partials_;  ///< one for each delivery, where they are copied out
    SlotRing<Delivery> deliveries_;
    Bytes copied_out_;
    std::unique_ptr<device::Stream> copying_;  ///< where partial tiles are copied out
};

}  // namespace quartet::matmul
