#include "matmul/tiles/tile_transfers.hpp"

#include <utility>

namespace quartet::matmul {

namespace {

// Buffers are aligned to cache lines at least; direct input needs more.
std::int64_t bytes_to_alignment(const std::byte* data) {
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) % direct_alignment;
    return (direct_alignment - misaligned) % direct_alignment;
}

template <typename Slots>
void make_events(Slots& slots, device::Device& device) {
    for (SlotEvents& slot : slots) {
        slot = {device.make_event(), device.make_event()};
    }
}

}  // namespace

FileSlots::FileSlots(bench::Arena& arena, const Problem& problem, std::int64_t count)
    : problem_(problem),
      memory_(arena.make<std::byte>(
          count == 0 ? 0 : count * MatrixFiles::slot_bytes(problem).value + direct_alignment,
          bench::Room::host)),
      first_(bytes_to_alignment(memory_.view().data())) {}

device::View<std::byte> FileSlots::slot(std::int64_t index) {
    const std::int64_t size = MatrixFiles::slot_bytes(problem_).value;
    return memory_.view().part(first_ + index * size, size);
}

device::View<const float> FileSlots::elements(std::int64_t index, TileIndex tile) {
    return device::view_as<float>(slot(index).part(MatrixFiles::elements_offset.value,
                                                   bytes_of<float>(problem_.elements(tile)).value));
}

FileSource::FileSource(const Problem& problem, const Block& block, const ProductFiles& files,
                       FileSlots memory, std::int64_t slots, device::Device& device)
    : problem_(problem),
      block_(block),
      files_(files.matrices),
      memory_(std::move(memory)),
      slots_(static_cast<std::size_t>(slots)),
      reading_(device.make_stream("read", device::StreamKind::transfer)) {
    make_events(slots_, device);
}

void FileSource::prepare() {
    read_ = {};
    forget_inputs(*files_, problem_, block_);
}

void FileSource::fetch(const Fetch& fetch) {
    SlotEvents& slot = at(fetch.slot);
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
    stream.wait(*at(fetch.slot).filled);
    return memory_.elements(fetch.slot, fetch.tile);
}

DeviceSource::DeviceSource(const Problem& problem, TileSource& host, device::Buffer<float> memory,
                           device::Device& device)
    : problem_(problem),
      host_(host),
      device_(device),
      memory_(std::move(memory)),
      slots_(static_cast<std::size_t>(memory_.size() / problem.elements({}))),
      copying_(device.make_stream("copy in", device::StreamKind::transfer)) {
    make_events(slots_, device);
}

void DeviceSource::fetch(const Fetch& fetch) {
    SlotEvents& slot = at(fetch.slot);
    const auto from = host_.tile({fetch.operand, fetch.tile, fetch.from}, *copying_);
    copying_->wait(*slot.used);
    device_.copy(as_bytes(from), as_bytes(memory_of(fetch)), *copying_);
    copying_->record(*slot.filled);
    host_.release(fetch.from, *copying_);
    copied_ = copied_ + from.bytes();
}

device::View<const float> DeviceSource::tile(const Fetch& fetch, device::Stream& stream) {
    stream.wait(*at(fetch.slot).filled);
    return memory_of(fetch);
}

FileSink::FileSink(const Problem& problem, const Block& block, ProductFiles files)
    : problem_(problem), block_(block), files_(std::move(files)) {}

FileSink::~FileSink() {
    if (files_.keep == bench::Switch::on) {
        return;
    }
    for_each_tile(block_, [&](TileIndex tile) {
        try {
            files_.matrices->remove(tile);
        } catch (...) {
            return;  // the others may still be removed
        }
    });
}

void FileSink::prepare() {
    written_ = {};
    const bool first = !std::exchange(has_prepared_, true);
    const bool write_over = files_.matrices->cache() == FileCache::warm && !first;
    for_each_tile(block_, [&](TileIndex tile) {
        write_over ? files_.matrices->put_aside(tile) : files_.matrices->remove(tile);
    });
}

void FileSink::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    stream.enqueue(Phase::copy_out, "tile", [this, tile, from] {
        files_.matrices->write(tile, from.span());
        written_ = written_ + from.bytes();
    });
}

StagedSink::StagedSink(const Problem& problem, std::unique_ptr<TileSink> next,
                       device::Buffer<float> memory, device::Device& device)
    : tile_elements_(problem.elements({})),
      next_(std::move(next)),
      device_(device),
      memory_(std::move(memory)),
      writing_(device.make_stream("write", device::StreamKind::transfer)) {
    make_events(slots_, device);
}

void StagedSink::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    const std::int64_t number = stored_++ % slots;
    SlotEvents& slot = slots_[static_cast<std::size_t>(number)];
    const auto memory = memory_.view().part(number * tile_elements_, from.size());
    stream.wait(*slot.used);
    device_.copy(as_bytes(from), as_bytes(memory), stream);
    stream.record(*slot.filled);
    writing_->wait(*slot.filled);
    next_->store(tile, memory, *writing_);
    writing_->record(*slot.used);
}

}  // namespace quartet::matmul
