#include "matmul/transfers.hpp"

namespace quartet::matmul {

namespace {

std::size_t position(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

template <typename Slots>
void make_events(Slots& slots, device::Device& device) {
    for (SlotEvents& slot : slots) {
        slot = {device.make_event(), device.make_event()};
    }
}

std::int64_t file_slots(const TilePlaces& places, std::int64_t slots) {
    return !places.in_files ? 0 : places.on_gpu ? TileLoader::passing : slots;
}

}  // namespace

std::unique_ptr<device::Stream> make_transfer_stream(const device::Arena& arena, const char* name) {
    return arena.plans() ? nullptr : arena.device().make_stream(name, device::StreamKind::transfer);
}

TileLoader::TileLoader(device::Arena& arena, const Problem& problem, const TilePlaces& places,
                       std::int64_t slots, const ProductFiles& files, const HostInputs* inputs)
    : problem_(problem),
      places_(places),
      files_(files.matrices),
      inputs_(inputs),
      device_(arena.device()),
      file_slots_(arena, problem, file_slots(places, slots)),
      gpu_slots_(arena.make<float>(places.on_gpu ? slots * problem.elements({}) : 0)),
      file_events_(position(file_slots(places, slots))),
      gpu_events_(position(places.on_gpu ? slots : 0)) {
    make_events(file_events_, device_);
    make_events(gpu_events_, device_);
    if (places.in_files) {
        reading_ = make_transfer_stream(arena, "read");
    }
    if (places.on_gpu) {
        copying_ = make_transfer_stream(arena, "copy in");
    }
}

void TileLoader::read_file(const Fetch& fetch) {
    SlotEvents& slot = file_events_[position(fetch.slot)];
    reading_->wait(*slot.used);
    reading_->enqueue(
        Phase::read, "tile",
        [this, operand = fetch.operand, tile = fetch.tile, target = file_slots_.slot(fetch.slot)] {
            const auto elements = files_->read(name(operand), tile, target.span());
            read_ = read_ + Bytes{std::ssize(std::as_bytes(elements))};
        });
    reading_->record(*slot.filled);
}

void TileLoader::fetch(const Fetch& fetch) {
    if (!places_.on_gpu) {
        if (places_.in_files) {
            read_file(fetch);
        }
        return;
    }
    SlotEvents* source = nullptr;
    device::View<const float> from;
    if (places_.in_files) {
        const Fetch passed{fetch.operand, fetch.tile, passed_++ % passing};
        read_file(passed);
        source = &file_events_[position(passed.slot)];
        copying_->wait(*source->filled);
        from = file_slots_.elements(passed.slot, passed.tile);
    } else {
        from = inputs_->tile(fetch.operand, fetch.tile);
    }
    SlotEvents& target = gpu_events_[position(fetch.slot)];
    copying_->wait(*target.used);
    device_.copy(as_bytes(from), as_bytes(on_gpu(fetch)), *copying_);
    copying_->record(*target.filled);
    if (source != nullptr) {
        copying_->record(*source->used);
    }
    copied_ = copied_ + from.bytes();
}

device::View<const float> TileLoader::tile(const Fetch& fetch, device::Stream& stream) {
    if (places_.same()) {
        return inputs_->tile(fetch.operand, fetch.tile);
    }
    stream.wait(*(places_.on_gpu ? gpu_events_ : file_events_)[position(fetch.slot)].filled);
    return places_.on_gpu ? on_gpu(fetch) : file_slots_.elements(fetch.slot, fetch.tile);
}

void TileLoader::release(const Fetch& fetch, device::Stream& stream) {
    if (!places_.same()) {
        stream.record(*(places_.on_gpu ? gpu_events_ : file_events_)[position(fetch.slot)].used);
    }
}

TileStorer::TileStorer(device::Arena& arena, const Problem& problem, const Block& block,
                       const TilePlaces& places, const ProductFiles& files, HostResult* result)
    : problem_(problem),
      places_(places),
      result_(result),
      device_(arena.device()),
      memory_(
          arena.make<float>(places.in_files && places.on_gpu ? passing * problem.elements({}) : 0,
                            device::MemoryKind::pinned)),
      storing_(make_transfer_stream(arena, places.on_gpu ? "copy out" : "write")) {
    if (files.matrices) {
        files_.emplace(block, files);
    }
    if (places.in_files && places.on_gpu) {
        make_events(slots_, device_);
        writing_ = make_transfer_stream(arena, "write");
    }
}

void TileStorer::prepare() {
    copied_ = {};
    if (files_) {
        files_->prepare();
    }
}

void TileStorer::store(TileIndex tile, device::View<const float> from, device::Event& complete,
                       device::Event& stored) {
    storing_->wait(complete);
    if (!places_.on_gpu) {
        files_->store(tile, from, *storing_);
        storing_->record(stored);
        return;
    }
    copied_ = copied_ + from.bytes();
    if (!files_) {
        device_.copy(as_bytes(from), as_bytes(result_->tile(tile)), *storing_);
        storing_->record(stored);
        return;
    }
    const std::int64_t number = passed_++ % passing;
    SlotEvents& slot = slots_[position(number)];
    const auto memory = memory_.view().part(number * problem_.elements({}), from.size());
    storing_->wait(*slot.used);
    device_.copy(as_bytes(from), as_bytes(memory), *storing_);
    storing_->record(stored);
    storing_->record(*slot.filled);
    writing_->wait(*slot.filled);
    files_->store(tile, memory, *writing_);
    writing_->record(*slot.used);
}

bench::Details traffic_of_all(const comm::Communicator& world, const TilePlaces& places,
                              const Traffic& files, const Traffic& copies) {
    bench::Details details;
    const auto add = [&](const char* key, Bytes bytes) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(bytes.value)));
    };
    if (places.in_files) {
        add("bytes_read", files.read);
        add("bytes_written", files.written);
    }
    if (places.on_gpu) {
        add("bytes_copied_in", copies.read);
        add("bytes_copied_out", copies.written);
    }
    return details;
}

}  // namespace quartet::matmul
