#include "matmul/native/scheduled_product.hpp"

#include <fmt/format.h>

#include <exception>

#include "device/blas.hpp"

namespace quartet::matmul {

namespace {

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

}  // namespace

ScheduledProduct::ScheduledProduct(const Problem& problem, const Block& block,
                                   const Blocking& blocking, device::Device& device,
                                   const StreamNames& names)
    : problem_(problem),
      block_(block),
      blocking_(blocking),
      device_(device),
      schedule_(problem, block, blocking),
      held_(device::allocate<float>(device, blocking.held() * problem.elements({}))),
      slot_events_(at(blocking.slots)),
      place_events_(at(blocking.held())),
      ahead_(at(blocking.lookahead + 1)),
      bringing_(device.make_stream(names.bringing, device::StreamKind::transfer)),
      taking_(device.make_stream(names.taking, device::StreamKind::transfer)) {
    for (Slot& slot : slot_events_) {
        slot = {device.make_event(), device.make_event()};
    }
    for (Place& place : place_events_) {
        place = {device.make_event(), device.make_event()};
    }
}

// Steps whose loads are issued run ahead of those that are multiplied.
void ScheduledProduct::run(device::Stream& stream) {
    schedule_.restart();
    begin_run();
    const auto room = std::ssize(ahead_);
    std::int64_t issued = 0;
    for (std::int64_t done = 0; done < schedule_.count(); ++done) {
        for (; issued < schedule_.count() && issued <= done + blocking_.lookahead; ++issued) {
            Step& step = ahead_[at(issued % room)];
            step = schedule_.next();
            load(step);
        }
        multiply(ahead_[at(done % room)], stream);
    }
    finish(stream);
}

// All streams come to rest, whatever one of them has thrown. What bringing or taking away has
// thrown is the cause of whatever came of it.
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
    await([&] { bringing_->synchronize(); });
    await([&] { taking_->synchronize(); });
    await([&] { stream.synchronize(); });
    if (first) {
        std::rethrow_exception(first);
    }
}

void ScheduledProduct::stop() {
    bringing_.reset();
    taking_.reset();
}

void ScheduledProduct::load(const Step& step) {
    begin_step();
    for (int index = 0; index < step.load_count; ++index) {
        const Load& load = step.loads[at(index)];
        Slot& events = slot_events_[at(load.slot)];
        bringing_->wait(*events.used);
        bring(load, *bringing_);
        bringing_->record(*events.filled);
    }
}

void ScheduledProduct::multiply(const Step& step, device::Stream& stream) {
    Slot& a = slot_events_[at(step.a_slot)];
    Slot& b = slot_events_[at(step.b_slot)];
    stream.wait(*a.filled);
    stream.wait(*b.filled);
    if (step.first) {
        stream.wait(*place_events_[at(step.c_slot)].away);
    }
    const auto tile = place(step.c_slot).part(0, problem_.elements(step.target));
    device_.blas().gemm({problem_.extent(step.target.row), problem_.extent(step.target.column),
                         problem_.extent(step.inner)},
                        elements(step.a_slot, {step.target.row, step.inner}),
                        elements(step.b_slot, {step.inner, step.target.column}), tile,
                        step.first ? device::Update::replace : device::Update::accumulate, stream);
    stream.record(*a.used);
    stream.record(*b.used);
    if (step.last) {
        take_away(step, tile, stream);
    }
}

void ScheduledProduct::take_away(const Step& step, device::View<float> tile,
                                 device::Stream& stream) {
    Place& place = place_events_[at(step.c_slot)];
    stream.record(*place.complete);
    taking_->wait(*place.complete);
    take(step.target, tile, *taking_);
    taking_->record(*place.away);
}

device::View<float> ScheduledProduct::place(std::int64_t index) {
    const std::int64_t size = problem_.elements({});
    return held_.view().part(index * size, size);
}

std::string ScheduledProduct::note() const {
    return fmt::format("{} x {} tiles of C held, {} slots, {} products ahead", blocking_.rows,
                       blocking_.columns, blocking_.slots, blocking_.lookahead);
}

}  // namespace quartet::matmul
