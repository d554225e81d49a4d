#include "matmul/dataflow/dataflow_worker.hpp"

#include "device/blas.hpp"

namespace quartet::matmul {

DataflowWorker::DataflowWorker(const Problem& problem, const DataflowPlan& plan,
                               device::Device& device, std::unique_ptr<WorkerTiles> tiles,
                               ProductDealer& dealer, const Queues& queues)
    : problem_(problem),
      order_(problem, plan.roles.reducers()),
      device_(device),
      tiles_(std::move(tiles)),
      dealer_(dealer),
      queues_(queues),
      partials_(device::allocate<float>(device, floats_in(plan.partials))),
      deliveries_(static_cast<std::size_t>(plan.deliveries)) {
    for (Delivery& delivery : deliveries_) {
        delivery = {0, device.make_event(), device.make_event()};
    }
    if (partials_.size() > 0) {
        copying_ = device.make_stream("copy out", device::StreamKind::transfer);
    }
}

void DataflowWorker::prepare() {
    made_ = 0;
    pushed_ = 0;
    copied_out_ = {};
    tiles_->prepare();
}

void DataflowWorker::run(device::Stream& stream) {
    bool more = true;
    while (true) {
        while (more && !tiles_->full()) {
            const std::int64_t product = dealer_.next();
            more = product < order_.count();
            if (more) {
                tiles_->prefetch(order_.item(product));
            }
        }
        if (tiles_->empty()) {
            break;
        }
        multiply(tiles_->oldest(stream), stream);
        tiles_->release(stream);
        if (made_ - pushed_ == std::ssize(deliveries_)) {
            push_oldest();
        }
    }
    while (pushed_ < made_) {
        push_oldest();
    }
    tiles_->synchronize();
    stream.synchronize();
    if (copying_) {
        copying_->synchronize();
    }
    for (const auto& queue : queues_) {
        queue->close();
    }
}

flow::Queue& DataflowWorker::queue_of(std::int64_t product) const {
    return *queues_[static_cast<std::size_t>(order_.reducer_of(order_.target(product)))];
}

// Memory of its queue, for a product that is pushed after those that are made.
device::View<float> DataflowWorker::outgoing(std::int64_t product) {
    flow::Queue& queue = queue_of(product);
    int others = 0;
    for (std::int64_t number = pushed_; number < made_; ++number) {
        others += &queue_of(delivery(number).product) == &queue ? 1 : 0;
    }
    const Bytes size = bytes_of<float>(problem_.elements(order_.target(product)));
    return device::view_as<float>(queue.next(others).part(0, size.value));
}

void DataflowWorker::multiply(const WorkerTiles::Tiles& tiles, device::Stream& stream) {
    const WorkItem& item = tiles.item;
    const auto target = outgoing(item.number);
    Delivery& delivery = this->delivery(made_);
    auto partial = target;
    if (copying_) {
        const std::int64_t slot = made_ % std::ssize(deliveries_) * problem_.elements({});
        partial = partials_.view().part(slot, target.size());
    }
    delivery.product = item.number;
    device_.blas().gemm({problem_.extent(item.a.row), problem_.extent(item.b.column),
                         problem_.extent(item.a.column)},
                        tiles.a, tiles.b, partial, device::Update::replace, stream);
    if (copying_) {
        copy_out(partial, target, delivery, stream);
    } else {
        stream.record(*delivery.ready);
    }
    ++made_;
}

void DataflowWorker::copy_out(device::View<const float> partial, device::View<float> to,
                              Delivery& delivery, device::Stream& stream) {
    stream.record(*delivery.made);
    copying_->wait(*delivery.made);
    device_.copy(as_bytes(partial), as_bytes(to), *copying_);
    copying_->record(*delivery.ready);
    copied_out_ = copied_out_ + partial.bytes();
}

void DataflowWorker::push_oldest() {
    Delivery& delivery = this->delivery(pushed_++);
    delivery.ready->synchronize();
    const std::int64_t product = delivery.product;
    queue_of(product).push(order_.key(product),
                           bytes_of<float>(problem_.elements(order_.target(product))));
}

}  // namespace quartet::matmul
