#include "matmul/file_product.hpp"

#include <fmt/format.h>

namespace quartet::matmul {

namespace {

constexpr std::string_view name_of(Operand operand) {
    return operand == Operand::a ? "A" : "B";
}

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

}  // namespace

FileProduct::FileProduct(const Problem& problem, const Block& block, const Blocking& blocking,
                         const TileFiles& files, device::Device& device)
    : problem_(problem),
      block_(block),
      blocking_(blocking),
      files_(files),
      device_(device),
      schedule_(problem, block, blocking),
      slots_(device::allocate<std::byte>(
          device, (blocking.slots * TileFiles::slot_bytes(problem)).value + direct_alignment,
          device::MemoryKind::host)),
      held_(device::allocate<float>(device, blocking.held() * problem.elements({}),
                                    device::MemoryKind::host)),
      slot_events_(at(blocking.slots)),
      place_events_(at(blocking.held())),
      ahead_(at(blocking.lookahead + 1)),
      reading_(device.make_stream("read", device::StreamKind::transfer)),
      writing_(device.make_stream("write", device::StreamKind::transfer)) {
    for (Slot& slot : slot_events_) {
        slot = {device.make_event(), device.make_event()};
    }
    for (Place& place : place_events_) {
        place = {device.make_event(), device.make_event()};
    }
}

TileMemory FileProduct::tile_memory(const Problem& problem) {
    return {.slot = TileFiles::slot_bytes(problem), .result = problem.tile_bytes()};
}

template <typename Use>
void FileProduct::for_each_result(Use use) const {
    for (std::int64_t row = block_.rows.begin; row < block_.rows.end; ++row) {
        for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
            use(TileIndex{row, column});
        }
    }
}

FileProduct::~FileProduct() {
    if (results_kept_ == Results::kept) {
        return;
    }
    for_each_result([this](TileIndex tile) {
        try {
            files_.remove(tile);
        } catch (const Failure&) {  // a file too many harms nobody
        }
    });
}

void FileProduct::prepare() {
    for_each_result([this](TileIndex tile) { files_.remove(tile); });
    if (files_.cache() != FileCache::drop) {
        return;
    }
    for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
        for (std::int64_t row = block_.rows.begin; row < block_.rows.end; ++row) {
            files_.forget("A", {row, inner});
        }
        for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
            files_.forget("B", {inner, column});
        }
    }
}

// Steps whose loads are issued run ahead of those that are multiplied.
void FileProduct::run(device::Stream& stream) {
    schedule_.restart();
    traffic_ = {};
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
    // What reading or writing has thrown is the cause of whatever came of it.
    reading_->synchronize();
    writing_->synchronize();
    stream.synchronize();
}

void FileProduct::load(const Step& step) {
    for (int index = 0; index < step.load_count; ++index) {
        const Load& load = step.loads[at(index)];
        Slot& events = slot_events_[at(load.slot)];
        reading_->wait(*events.used);
        reading_->enqueue(Phase::read, "tile", [this, load, target = slot(load.slot)] {
            const auto elements = files_.read(name_of(load.operand), load.tile, target.span());
            traffic_.read = traffic_.read + Bytes{std::ssize(std::as_bytes(elements))};
        });
        reading_->record(*events.loaded);
    }
}

void FileProduct::multiply(const Step& step, device::Stream& stream) {
    Slot& a = slot_events_[at(step.a_slot)];
    Slot& b = slot_events_[at(step.b_slot)];
    stream.wait(*a.loaded);
    stream.wait(*b.loaded);
    if (step.first) {
        stream.wait(*place_events_[at(step.c_slot)].written);
    }
    const auto tile =
        held_.view().part(step.c_slot * problem_.elements({}), problem_.elements(step.target));
    device_.blas().gemm({problem_.extent(step.target.row), problem_.extent(step.target.column),
                         problem_.extent(step.inner)},
                        elements(step.a_slot, {step.target.row, step.inner}),
                        elements(step.b_slot, {step.inner, step.target.column}), tile,
                        step.first ? device::Update::replace : device::Update::accumulate, stream);
    stream.record(*a.used);
    stream.record(*b.used);
    if (step.last) {
        write(step, tile, stream);
    }
}

void FileProduct::write(const Step& step, device::View<float> tile, device::Stream& stream) {
    Place& place = place_events_[at(step.c_slot)];
    stream.record(*place.complete);
    writing_->wait(*place.complete);
    writing_->enqueue(Phase::copy_out, "tile", [this, target = step.target, tile] {
        files_.write(target, tile.span());
        traffic_.written = traffic_.written + tile.bytes();
    });
    writing_->record(*place.written);
}

// The memory is aligned to cache lines at least; direct input wants more.
device::View<std::byte> FileProduct::slot(std::int64_t index) {
    const auto address = reinterpret_cast<std::uintptr_t>(slots_.view().data());
    const auto misaligned = static_cast<std::int64_t>(address) % direct_alignment;
    const std::int64_t first = (direct_alignment - misaligned) % direct_alignment;
    const Bytes size = TileFiles::slot_bytes(problem_);
    return slots_.view().part(first + index * size.value, size.value);
}

device::View<const float> FileProduct::elements(std::int64_t slot_index, TileIndex tile) {
    const auto memory = slot(slot_index);
    return {reinterpret_cast<const float*>(memory.data() + TileFiles::elements_offset.value),
            problem_.elements(tile), memory.kind()};
}

// Between runs the first slot is free.
std::span<const float> FileProduct::input(Operand operand, TileIndex tile) {
    return files_.read(name_of(operand), tile, slot(0).span());
}

std::span<const float> FileProduct::result(TileIndex tile) {
    return files_.read("C", tile, slot(0).span());
}

std::string FileProduct::note() const {
    return fmt::format("{} x {} tiles of C held, {} slots, {} products ahead", blocking_.rows,
                       blocking_.columns, blocking_.slots, blocking_.lookahead);
}

}  // namespace quartet::matmul
