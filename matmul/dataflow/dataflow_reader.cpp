#include "matmul/dataflow/dataflow_reader.hpp"

#include "core/check.hpp"

namespace quartet::matmul {

namespace {

std::int64_t slots_for(int lookahead) {
    return lookahead + 1;
}

}  // namespace

DataflowReader::DataflowReader(const Problem& problem, const TileFiles& files,
                               device::Device& device, int lookahead)
    : problem_(problem),
      files_(files),
      memory_(device::allocate<std::byte>(device, memory(problem, lookahead).value,
                                          device::MemoryKind::host)),
      slots_(static_cast<std::size_t>(slots_for(lookahead))),
      reading_(device.make_stream("read", device::StreamKind::transfer)) {
    for (Slot& slot : slots_) {
        slot = {{}, device.make_event(), device.make_event()};
    }
}

Bytes DataflowReader::memory(const Problem& problem, int lookahead) {
    return 2 * slots_for(lookahead) * TileFiles::slot_bytes(problem) + Bytes{direct_alignment};
}

void DataflowReader::prepare() {
    begun_ = 0;
    done_ = 0;
    read_ = {};
    if (files_.cache() != FileCache::drop) {
        return;
    }
    for (std::int64_t row = 0; row < problem_.tiles(); ++row) {
        for (std::int64_t column = 0; column < problem_.tiles(); ++column) {
            files_.forget("A", {row, column});
            files_.forget("B", {row, column});
        }
    }
}

// The memory is aligned to cache lines at least; direct input wants more.
device::View<std::byte> DataflowReader::half(std::int64_t number, int half) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.view().data());
    const auto misaligned = static_cast<std::int64_t>(address) % direct_alignment;
    const std::int64_t first = (direct_alignment - misaligned) % direct_alignment;
    const Bytes size = TileFiles::slot_bytes(problem_);
    const std::int64_t index = 2 * (number % std::ssize(slots_)) + half;
    return memory_.view().part(first + index * size.value, size.value);
}

void DataflowReader::begin(const Product& product) {
    check(!full(), "more tiles are to be read than there is room for");
    Slot& slot = this->slot(begun_);
    slot.product = product;
    reading_->wait(*slot.used);
    load("A", product.a, half(begun_, 0));
    load("B", product.b, half(begun_, 1));
    reading_->record(*slot.loaded);
    ++begun_;
}

void DataflowReader::load(std::string_view matrix, TileIndex tile, device::View<std::byte> target) {
    reading_->enqueue(Phase::read, "tile", [this, matrix, tile, target] {
        const auto elements = files_.read(matrix, tile, target.span());
        read_ = read_ + Bytes{std::ssize(std::as_bytes(elements))};
    });
}

device::View<const float> DataflowReader::elements(std::int64_t number, int half, TileIndex tile) {
    const auto file = this->half(number, half);
    return {reinterpret_cast<const float*>(file.data() + TileFiles::elements_offset.value),
            problem_.elements(tile), file.kind()};
}

DataflowReader::Tiles DataflowReader::oldest(device::Stream& stream) {
    check(!empty(), "no tiles are being read");
    Slot& slot = this->slot(done_);
    stream.wait(*slot.loaded);
    return {slot.product.number, elements(done_, 0, slot.product.a),
            elements(done_, 1, slot.product.b)};
}

void DataflowReader::release(device::Stream& stream) {
    stream.record(*slot(done_).used);
    ++done_;
}

}  // namespace quartet::matmul
