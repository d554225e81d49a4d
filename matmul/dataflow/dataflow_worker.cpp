#include "matmul/dataflow/dataflow_worker.hpp"

#include <algorithm>
#include <utility>

#include "device/blas.hpp"

namespace quartet::matmul {

DataflowWorker::Buffers::Buffers(bench::Arena& arena, const Problem& problem,
                                 const DataflowShape& shape)
    : file_slots(arena, problem, 2 * shape.from_files()),
      device_slots(
          arena.make<float>(shape.workers_on_gpu() ? 2 * shape.held() * problem.elements({}) : 0)),
      partials(arena.make<float>(shape.workers_on_gpu() && shape.through_host()
                                     ? shape.deliveries() * problem.elements({})
                                     : 0)) {}

DataflowWorker::DataflowWorker(const Problem& problem, const DataflowShape& shape,
                               bench::Session& session, comm::Transport& transport,
                               const ProductFiles& files)
    : DataflowProduct(problem, shape, session, transport, files),
      device_(session.device()),
      arena_(device_),
      buffers_(arena_, problem, shape),
      items_(shape.held()),
      deliveries_(shape.deliveries()) {
    if (files.matrices) {
        from_files_ = std::make_unique<FileSource>(problem, whole(problem), files,
                                                   std::move(buffers_.file_slots),
                                                   2 * shape.from_files(), device_);
    }
    if (shape.workers_on_gpu()) {
        on_gpu_ = std::make_unique<DeviceSource>(problem, host(), std::move(buffers_.device_slots),
                                                 device_);
    }
    const bool copies_out = buffers_.partials.size() > 0;
    std::int64_t begin = 0;
    for (Delivery& delivery : deliveries_.slots()) {
        const std::int64_t elements = copies_out ? problem.elements({}) : 0;
        delivery = {0, buffers_.partials.view().part(begin, elements), device_.make_event(),
                    device_.make_event()};
        begin += elements;
    }
    if (copies_out) {
        copying_ = device_.make_stream("copy out", device::StreamKind::transfer);
    }
}

void DataflowWorker::prepare() {
    DataflowProduct::prepare();
    items_.clear();
    deliveries_.clear();
    begun_ = 0;
    copied_out_ = {};
    host().prepare();
    if (on_gpu_) {
        on_gpu_->prepare();
    }
}

void DataflowWorker::run(device::Stream& stream) {
    bool more = true;
    while (true) {
        while (more && !items_.full()) {
            const std::int64_t product = dealer_.next();
            more = product < order_.count();
            if (more) {
                fetch(order_.item(product));
            }
        }
        if (items_.empty()) {
            break;
        }
        multiply(items_.empty_oldest(), stream);
        if (deliveries_.full()) {
            push_oldest();
        }
    }
    while (!deliveries_.empty()) {
        push_oldest();
    }
    host().synchronize();
    nearest().synchronize();
    stream.synchronize();
    if (copying_) {
        copying_->synchronize();
    }
    for (const auto& queue : queues_) {
        queue->close();
    }
}

void DataflowWorker::fetch(WorkItem item) {
    item.a.from = 2 * (begun_ % std::max<std::int64_t>(shape_.from_files(), 1));
    item.a.slot = 2 * (begun_++ % std::ssize(items_.slots()));
    item.b.from = item.a.from + 1;
    item.b.slot = item.a.slot + 1;
    for (const Fetch& fetch : {item.a, item.b}) {
        if (on_gpu_) {
            host().fetch({fetch.operand, fetch.tile, fetch.from});
        }
        nearest().fetch(fetch);
    }
    items_.fill() = item;
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

void DataflowWorker::multiply(const WorkItem& item, device::Stream& stream) {
    const auto a = nearest().tile(item.a, stream);
    const auto b = nearest().tile(item.b, stream);
    const auto target = outgoing(item.number);
    Delivery& delivery = deliveries_.fill();
    delivery.product = item.number;
    const auto partial = copying_ ? delivery.partial.part(0, target.size()) : target;
    device_.blas().gemm({problem_.extent(item.a.tile.row), problem_.extent(item.b.tile.column),
                         problem_.extent(item.a.tile.column)},
                        a, b, partial, device::Update::replace, stream);
    if (copying_) {
        copy_out(partial, target, delivery, stream);
    } else {
        stream.record(*delivery.ready);
    }
    nearest().release(item.a.slot, stream);
    nearest().release(item.b.slot, stream);
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
