#include "matmul/native/scheduled_product.hpp"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "device/blas.hpp"

namespace quartet::matmul {

namespace {

std::size_t position(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

}  // namespace

ScheduledProduct::Buffers::Buffers(bench::Arena& arena, const Problem& problem,
                                   const BoundedPlan& plan)
    : file_slots(arena, problem, plan.file_slots()),
      staged(arena.make<float>(
          plan.in_files && plan.on_gpu ? StagedSink::slots * problem.elements({}) : 0,
          bench::Room::host)),
      device_slots(arena.make<float>(plan.device_slots() * problem.elements({}))),
      held(arena.make<float>(plan.blocking.held() * problem.elements({}))) {}

ScheduledProduct::ScheduledProduct(const Problem& problem, const Block& block,
                                   const BoundedPlan& plan, device::Device& device)
    : problem_(problem),
      plan_(plan),
      device_(device),
      arena_(device),
      buffers_(arena_, problem, plan),
      schedule_(problem, block, plan.blocking),
      ahead_(position(plan.blocking.lookahead + 1)),
      storing_(
          device.make_stream(plan.on_gpu ? "copy out" : "write", device::StreamKind::transfer)) {
    const std::int64_t elements = problem.elements({});
    for (std::int64_t index = 0; index < plan.blocking.held(); ++index) {
        held_.push_back({buffers_.held.view().part(index * elements, elements), device.make_event(),
                         device.make_event()});
    }
}

ScheduledProduct::ScheduledProduct(const Problem& problem, const Block& block,
                                   const BoundedPlan& plan, const ProductFiles& files,
                                   device::Device& device)
    : ScheduledProduct(problem, block, plan, device) {
    host_ = std::make_unique<FileSource>(problem, block, files, std::move(buffers_.file_slots),
                                         plan.file_slots(), device);
    sink_ = std::make_unique<FileSink>(problem, block, files);
    if (plan.on_gpu) {
        add_gpu();
        sink_ = std::make_unique<StagedSink>(problem, std::move(sink_), std::move(buffers_.staged),
                                             device);
    }
}

ScheduledProduct::ScheduledProduct(const Problem& problem, const BoundedPlan& plan,
                                   const OperandLayout& layout, const comm::Communicator& node,
                                   device::Device& device, int threads)
    : ScheduledProduct(problem, layout.block, plan, device) {
    host_ = std::make_unique<MemorySource>(problem, layout, node, device, threads);
    sink_ = std::make_unique<MemorySink>(arena_, problem, layout.block, device);
    add_gpu();
}

void ScheduledProduct::add_gpu() {
    on_gpu_ =
        std::make_unique<DeviceSource>(problem_, *host_, std::move(buffers_.device_slots), device_);
}

void ScheduledProduct::prepare() {
    host_->prepare();
    if (on_gpu_) {
        on_gpu_->prepare();
    }
    sink_->prepare();
    stored_ = {};
}

// Tiles are fetched ahead of the products that are multiplied.
void ScheduledProduct::run(device::Stream& stream) {
    schedule_.restart();
    std::int64_t issued = 0;
    for (std::int64_t done = 0; done < schedule_.count(); ++done) {
        for (; issued < schedule_.count() && issued <= done + plan_.blocking.lookahead; ++issued) {
            TileProduct& product = ahead_[position(issued % std::ssize(ahead_))];
            product = schedule_.next();
            fetch(product);
        }
        multiply(ahead_[position(done % std::ssize(ahead_))], stream);
    }
    finish(stream);
}

void ScheduledProduct::fetch(const TileProduct& product) {
    for (Fetch fetch : product.fetches()) {
        if (on_gpu_) {
            fetch.from = passed_++ % BoundedPlan::passing;
            host_->fetch({fetch.operand, fetch.tile, fetch.from});
        }
        nearest().fetch(fetch);
    }
}

void ScheduledProduct::multiply(const TileProduct& product, device::Stream& stream) {
    const auto a = nearest().tile(product.a(), stream);
    const auto b = nearest().tile(product.b(), stream);
    HeldTile& held = held_[position(product.c_slot)];
    if (product.first) {
        stream.wait(*held.stored);
    }
    const auto tile = held.memory.part(0, problem_.elements(product.target));
    device_.blas().gemm(
        {problem_.extent(product.target.row), problem_.extent(product.target.column),
         problem_.extent(product.inner)},
        a, b, tile, product.first ? device::Update::replace : device::Update::accumulate, stream);
    nearest().release(product.a_slot, stream);
    nearest().release(product.b_slot, stream);
    if (product.last) {
        stream.record(*held.complete);
        storing_->wait(*held.complete);
        sink_->store(product.target, tile, *storing_);
        storing_->record(*held.stored);
        stored_ = stored_ + tile.bytes();
    }
}

// Synchronizes all streams, whatever one of them has thrown, and throws the first error: what
// fetching or storing has thrown is the cause of later ones.
void ScheduledProduct::finish(device::Stream& stream) {
    std::exception_ptr first;
    const auto await = [&](auto& one) {
        try {
            one.synchronize();
        } catch (...) {
            first = first ? first : std::current_exception();
        }
    };
    await(*host_);
    await(*sink_);
    await(nearest());
    await(*storing_);
    await(stream);
    if (first) {
        std::rethrow_exception(first);
    }
}

std::string ScheduledProduct::note() const {
    const Blocking& blocking = plan_.blocking;
    return fmt::format("{} x {} tiles of C held, {} slots, {} products ahead", blocking.rows,
                       blocking.columns, blocking.slots, blocking.lookahead);
}

// Of all ranks.
bench::Details ScheduledProduct::details(const comm::Communicator& world) const {
    bench::Details details;
    const auto add_sum = [&](const char* key, Bytes bytes) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(bytes.value)));
    };
    if (plan_.in_files) {
        add_sum("bytes_read", traffic().read);
        add_sum("bytes_written", traffic().written);
        add_sum("bytes_planned", plan_.traffic.sum());
        add_sum("bytes_best_whole_tiles", plan_.best);
    }
    if (plan_.on_gpu) {
        add_sum("bytes_copied_in", copied().read);
        add_sum("bytes_copied_out", copied().written);
    }
    return details;
}

}  // namespace quartet::matmul
