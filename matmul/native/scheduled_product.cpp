#include "matmul/native/scheduled_product.hpp"

#include <fmt/format.h>

#include <exception>

#include "device/blas.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

namespace {

std::size_t position(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

}  // namespace

ScheduledProduct::ScheduledProduct(const Problem& problem, const Block& block,
                                   const Blocking& blocking, Bytes results, device::Device& device,
                                   const StreamNames& names, bench::TileCheckpoint* checkpoint)
    : problem_(problem),
      block_(block),
      blocking_(blocking),
      device_(device),
      checkpoint_(checkpoint),
      schedule_(problem, block, blocking, taken_over(problem, checkpoint)),
      held_(device::allocate<float>(device, floats_in(results))),
      slots_(position(blocking.slots)),
      result_slots_(position(blocking.held())),
      ahead_(position(blocking.lookahead + 1)),
      fetching_(device.make_stream(names.fetching, device::StreamKind::transfer)),
      storing_(device.make_stream(names.storing, device::StreamKind::transfer)) {
    for (Slot& slot : slots_) {
        slot = {device.make_event(), device.make_event()};
    }
    for (ResultSlot& slot : result_slots_) {
        slot = {device.make_event(), device.make_event()};
    }
}

// Prefetches are issued ahead of the products that are multiplied.
void ScheduledProduct::run(device::Stream& stream) {
    schedule_.restart();
    begin_run();
    const auto room = std::ssize(ahead_);
    std::int64_t issued = 0;
    const auto stops = [this] { return checkpoint_ != nullptr && checkpoint_->wants_stop(); };
    for (std::int64_t done = 0; done < schedule_.count() && !stops(); ++done) {
        for (; issued < schedule_.count() && issued <= done + blocking_.lookahead; ++issued) {
            TileProduct& product = ahead_[position(issued % room)];
            product = schedule_.next();
            prefetch(product);
        }
        multiply(ahead_[position(done % room)], stream);
    }
    finish(stream);
}

// Synchronizes all streams, whatever one of them has thrown, and throws the first error: what
// fetching or storing has thrown is the cause of later ones.
void ScheduledProduct::finish(device::Stream& stream) {
    std::exception_ptr first;
    const auto await = [&](const auto& synchronize) {
        try {
            synchronize();
        } catch (...) {
            first = first ? first : std::current_exception();
        }
    };
    await([&] { synchronize(); });
    await([&] { fetching_->synchronize(); });
    await([&] { storing_->synchronize(); });
    await([&] { stream.synchronize(); });
    if (first) {
        std::rethrow_exception(first);
    }
}

void ScheduledProduct::stop() {
    fetching_.reset();
    storing_.reset();
}

void ScheduledProduct::prefetch(const TileProduct& product) {
    begin_product();
    for (int index = 0; index < product.prefetch_count; ++index) {
        const Prefetch& prefetch = product.prefetches[position(index)];
        Slot& slot = slots_[position(prefetch.slot)];
        fetching_->wait(*slot.used);
        fetch(prefetch, *fetching_);
        fetching_->record(*slot.filled);
    }
}

void ScheduledProduct::multiply(const TileProduct& product, device::Stream& stream) {
    Slot& a = slots_[position(product.a_slot)];
    Slot& b = slots_[position(product.b_slot)];
    stream.wait(*a.filled);
    stream.wait(*b.filled);
    if (product.first) {
        stream.wait(*result_slots_[position(product.c_slot)].stored);
    }
    const auto tile = result_slot(product.c_slot).part(0, problem_.elements(product.target));
    device_.blas().gemm({problem_.extent(product.target.row),
                         problem_.extent(product.target.column), problem_.extent(product.inner)},
                        elements(product.a_slot, {product.target.row, product.inner}),
                        elements(product.b_slot, {product.inner, product.target.column}), tile,
                        product.first ? device::Update::replace : device::Update::accumulate,
                        stream);
    stream.record(*a.used);
    stream.record(*b.used);
    if (product.last) {
        store_result(product, tile, stream);
    }
}

void ScheduledProduct::store_result(const TileProduct& product, device::View<float> tile,
                                    device::Stream& stream) {
    ResultSlot& slot = result_slots_[position(product.c_slot)];
    stream.record(*slot.complete);
    storing_->wait(*slot.complete);
    store(product.target, tile, *storing_);
    storing_->record(*slot.stored);
    if (product.ends_part) {
        end_part(*storing_);
    }
}

device::View<float> ScheduledProduct::result_slot(std::int64_t index) {
    const std::int64_t size = problem_.elements({});
    return held_.view().part(index * size, size);
}

std::string ScheduledProduct::note() const {
    return fmt::format("{} x {} tiles of C held, {} slots, {} products ahead", blocking_.rows,
                       blocking_.columns, blocking_.slots, blocking_.lookahead);
}

}  // namespace quartet::matmul
