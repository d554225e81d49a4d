#include "matmul/tiles/file_source.hpp"

namespace quartet::matmul {

FileSource::FileSource(const Problem& problem, const Block& block, const ProductFiles& files,
                       FileSlots memory, std::int64_t slots, device::Device& device)
    : problem_(problem),
      block_(block),
      files_(files.matrices),
      memory_(std::move(memory)),
      slots_(static_cast<std::size_t>(slots)),
      reading_(device.make_stream("read", device::StreamKind::transfer)) {
    for (Slot& slot : slots_) {
        slot = {device.make_event(), device.make_event()};
    }
}

void FileSource::prepare() {
    read_ = {};
    forget_inputs(*files_, problem_, block_);
}

void FileSource::fetch(const Fetch& fetch) {
    Slot& slot = slots_[static_cast<std::size_t>(fetch.slot)];
    reading_->wait(*slot.used);
    reading_->enqueue(
        Phase::read, "tile",
        [this, operand = fetch.operand, tile = fetch.tile, target = memory_.slot(fetch.slot)] {
            const auto elements = files_->read(name(operand), tile, target.span());
            read_ = read_ + Bytes{std::ssize(std::as_bytes(elements))};
        });
    reading_->record(*slot.filled);
}

device::View<const float> FileSource::tile(const Fetch& fetch, device::Stream& stream) {
    stream.wait(*slots_[static_cast<std::size_t>(fetch.slot)].filled);
    return memory_.elements(fetch.slot, fetch.tile);
}

void FileSource::release(std::int64_t slot, device::Stream& stream) {
    stream.record(*slots_[static_cast<std::size_t>(slot)].used);
}

}  // namespace quartet::matmul
