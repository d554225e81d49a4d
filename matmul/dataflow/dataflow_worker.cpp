#include "matmul/dataflow/dataflow_worker.hpp"

#include "device/blas.hpp"

namespace quartet::matmul {

DataflowWorker::DataflowWorker(const Problem& problem, const DataflowPlan& plan,
                               device::Device& device, std::unique_ptr<WorkerTiles> tiles,
                               const ProductOrder& order, ProductDealer& dealer,
                               const Queues& queues)
    : problem_(problem),
      order_(order),
      device_(device),
      tiles_(std::move(tiles)),
      dealer_(dealer),
      queues_(queues),
      partials_(device::allocate<float>(device, floats_in(plan.partials))),
      deliveries_(plan.deliveries) {
    const bool copies_out = partials_.size() > 0;
    std::int64_t begin = 0;
    for (Delivery& delivery : deliveries_.slots()) {
        const std::int64_t elements = copies_out ? problem.elements({}) : 0;
        delivery = {0, partials_.view().part(begin, elements), device.make_event(),
                    device.make_event()};
        begin += elements;
    }
    if (copies_out) {
        copying_ = device.make_stream("copy out", device::StreamKind::transfer);
    }
}

void DataflowWorker::prepare() {
    deliveries_.clear();
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
        if (deliveries_.full()) {
            push_oldest();
        }
    }
    while (!deliveries_.empty()) {
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
    deliveries_.each_in_use(
        [&](const Delivery& delivery) { others += &queue_of(delivery.product) == &queue ? 1 : 0; });
    const Bytes size = bytes_of<float>(problem_.elements(order_.target(product)));
    return device::view_as<float>(queue.next(others).part(0, size.value));
}

void DataflowWorker::multiply(const WorkerTiles::Tiles& tiles, device::Stream& stream) {
    const WorkItem& item = tiles.item;
    const auto target = outgoing(item.number);
    Delivery& delivery = deliveries_.fill();
    delivery.product = item.number;
    const auto partial = copying_ ? delivery.partial.part(0, target.size()) : target;
    device_.blas().gemm({problem_.extent(item.a.row), problem_.extent(item.b.column),
                         problem_.extent(item.a.column)},
                        tiles.a, tiles.b, partial, device::Update::replace, stream);
    if (copying_) {
        copy_out(partial, target, delivery, stream);
    } else {
        stream.record(*delivery.ready);
    }
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
    const Delivery& delivery = deliveries_.empty_oldest();
    delivery.ready->synchronize();
    const std::int64_t product = delivery.product;
    queue_of(product).push(order_.key(product),
                           bytes_of<float>(problem_.elements(order_.target(product))));
}

}  // namespace quartet::matmul
