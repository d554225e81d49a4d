#include "matmul/tiles/device_source.hpp"

namespace quartet::matmul {

DeviceSource::DeviceSource(const Problem& problem, TileSource& host, device::Buffer<float> memory,
                           device::Device& device)
    : problem_(problem),
      host_(host),
      device_(device),
      memory_(std::move(memory)),
      copying_(device.make_stream("copy in", device::StreamKind::transfer)) {
    const std::int64_t elements = problem.elements({});
    for (std::int64_t begin = 0; begin < memory_.size(); begin += elements) {
        slots_.push_back(
            {memory_.view().part(begin, elements), device.make_event(), device.make_event()});
    }
}

void DeviceSource::fetch(const Fetch& fetch) {
    Slot& slot = at(fetch.slot);
    const auto from = host_.tile({fetch.operand, fetch.tile, fetch.from}, *copying_);
    copying_->wait(*slot.used);
    device_.copy(as_bytes(from), as_bytes(slot.memory.part(0, from.size())), *copying_);
    copying_->record(*slot.filled);
    host_.release(fetch.from, *copying_);
    copied_ = copied_ + from.bytes();
}

device::View<const float> DeviceSource::tile(const Fetch& fetch, device::Stream& stream) {
    Slot& slot = at(fetch.slot);
    stream.wait(*slot.filled);
    return slot.memory.part(0, problem_.elements(fetch.tile));
}

void DeviceSource::release(std::int64_t slot, device::Stream& stream) {
    stream.record(*at(slot).used);
}

}  // namespace quartet::matmul
