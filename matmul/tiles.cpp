#include "matmul/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/files/npy.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

// The blocks of the ranks that share a copy mostly lie side by side: their hull is stored.
Block hull(const std::vector<Block>& blocks, const comm::Topology& topology, int rank,
           OperandCopies copies) {
    Block hull;
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        const Block& block = blocks[index];
        const int other = static_cast<int>(index);
        const bool shares =
            copies == OperandCopies::per_node ? topology.same_node(rank, other) : rank == other;
        if (block.empty() || !shares) {
            continue;
        }
        if (hull.empty()) {
            hull = block;
        }
        hull.rows = {std::min(hull.rows.begin, block.rows.begin),
                     std::max(hull.rows.end, block.rows.end)};
        hull.columns = {std::min(hull.columns.begin, block.columns.begin),
                        std::max(hull.columns.end, block.columns.end)};
    }
    return hull;
}

}  // namespace

OperandCopies copies_over(const comm::TransportTraits& transport) {
    return transport.receive == comm::Receive::in_place ? OperandCopies::per_node
                                                        : OperandCopies::per_rank;
}

OperandLayout::OperandLayout(const Problem& problem, const std::vector<Block>& blocks, int rank,
                             const comm::Topology& topology, OperandCopies sharing)
    : copies(sharing), block(blocks[static_cast<std::size_t>(rank)]) {
    const Block needed = hull(blocks, topology, rank, copies);
    const bool shared = copies == OperandCopies::per_node;
    std::vector<Bytes> parts(shared ? static_cast<std::size_t>(topology.node().size()) : 1);
    const auto add = [&](Operand operand, const Range& columns, const Range& rows) {
        for (std::int64_t column = columns.begin; column < columns.end; ++column) {
            const std::size_t part = panels.size() % parts.size();
            panels.push_back({operand, column, rows, static_cast<int>(part), parts[part]});
            // Panels begin on pages, and so does each rank's part of a window.
            parts[part] =
                parts[part] + direct_size(bytes_of<float>(rows.size() * problem.extent(column)));
        }
    };
    const Range all = needed.empty() ? Range{} : Range{0, problem.tiles()};
    add(Operand::a, all, elements_of(problem, needed.rows));
    add(Operand::b, needed.columns, elements_of(problem, all));
    first_column_of_b = needed.columns.begin;
    allocated = parts[shared ? static_cast<std::size_t>(topology.node().rank()) : 0];
}

HostInputs::HostInputs(device::Arena& arena, const Problem& problem, OperandLayout layout,
                       const comm::Communicator& node)
    : problem_(problem),
      layout_(std::move(layout)),
      node_(node),
      threads_(arena.device().threads()),
      memory_(allocate(arena)) {
    parts_ = shared_ ? shared_->parts(memory_.view().data()) : std::vector{memory_.view()};
}

device::Buffer<std::byte> HostInputs::allocate(device::Arena& arena) {
    const Bytes size = layout_.allocated;
    if (layout_.copies == OperandCopies::per_rank || arena.plans()) {
        return arena.make<std::byte>(size.value, device::MemoryKind::pinned);
    }
    arena.reserve(size);
    shared_.emplace(node_, arena.device().accelerator());
    return {shared_->allocate(size), size.value};
}

float* HostInputs::data_of(const OperandPanel& panel) const {
    std::byte* const part = parts_[static_cast<std::size_t>(panel.part)].data();
    return reinterpret_cast<float*>(part + panel.offset.value);
}

// Tiles are spread over the ranks that share a copy and over their threads in turn.
void HostInputs::fill() {
    const std::int64_t ranks = shared_ ? node_.size() : 1;
    const std::int64_t rank = shared_ ? node_.rank() : 0;
    system::parallel_parts(threads_, [&](int part) {
        std::int64_t tile = 0;
        for (const OperandPanel& panel : layout_.panels) {
            const std::int64_t width = problem_.extent(panel.column);
            for (std::int64_t row = panel.rows.begin; row < panel.rows.end; row += problem_.tile) {
                if (tile++ % (ranks * threads_) != rank * threads_ + part) {
                    continue;
                }
                const std::int64_t count = std::min(problem_.tile, panel.rows.end - row);
                fill_rows(problem_, name(panel.operand), row, count, panel.column,
                          {data_of(panel) + (row - panel.rows.begin) * width,
                           static_cast<std::size_t>(count * width)});
            }
        }
    });
    if (shared_) {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        node_.barrier();
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
}

device::View<const float> HostInputs::rows_of(std::int64_t panel_index, const Range& rows) const {
    const OperandPanel& panel = layout_.panels.at(static_cast<std::size_t>(panel_index));
    const std::int64_t width = problem_.extent(panel.column);
    return {data_of(panel) + (rows.begin - panel.rows.begin) * width, rows.size() * width,
            memory_.view().kind()};
}

device::View<const float> HostInputs::tile(Operand operand, TileIndex tile) const {
    const std::int64_t panel = operand == Operand::a
                                   ? tile.column
                                   : problem_.tiles() + tile.column - layout_.first_column_of_b;
    return rows_of(panel, elements_of(problem_, Range{tile.row, tile.row + 1}));
}

namespace {

FileName file_of(const Folder& folder, std::string_view matrix, TileIndex tile) {
    std::array<char, 64> name{};
    const auto end = fmt::format_to_n(name.data(), name.size() - 1, "{}_{}_{}.npy", matrix,
                                      tile.row, tile.column);
    return {folder, {name.data(), end.size}};
}

FileName spare_of(const Folder& folder, TileIndex tile) {
    return file_of(folder, "C", tile).with_suffix(".spare");
}

}  // namespace

MatrixFiles::MatrixFiles(const std::filesystem::path& folder, const Problem& problem,
                         FileCache cache)
    : folder_(folder), problem_(problem), cache_(cache) {
    const std::array<std::int64_t, 2> extents{problem.extent(0),
                                              problem.extent(problem.tiles() - 1)};
    for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t column = 0; column < 2; ++column) {
            headers_.at(row).at(column) =
                format_npy_header(ElementType::f4, {extents.at(row), extents.at(column)});
        }
    }
}

std::span<const float> MatrixFiles::read(std::string_view matrix, TileIndex tile,
                                         std::span<std::byte> slot) const {
    const FileName name = file_of(folder_, matrix, tile);
    const InputFile input(name, cache_);
    const Bytes wanted = bytes_of<float>(problem_.elements(tile));
    const std::string& header = header_of(tile);
    const Bytes size = input.read(Bytes{}, slot);
    if (size < elements_offset || std::memcmp(slot.data(), header.data(), header.size()) != 0) {
        throw NpyError(name.path(), "its header is not that of such a tile");
    }
    const Bytes found = input.size() - elements_offset;
    if (found != wanted) {
        throw NpyError(name.path(), fmt::format("{} B of elements where {} B are expected",
                                                found.value, wanted.value));
    }
    return {reinterpret_cast<const float*>(slot.data() + elements_offset.value),
            static_cast<std::size_t>(problem_.elements(tile))};
}

const std::string& MatrixFiles::header_of(TileIndex tile) const {
    const std::int64_t last = problem_.tiles() - 1;
    return headers_.at(tile.row == last ? 1 : 0).at(tile.column == last ? 1 : 0);
}

void MatrixFiles::write(TileIndex tile, std::span<const float> elements) const {
    OutputFile output(file_of(folder_, "C", tile), spare_of(folder_, tile));
    output.write(std::as_bytes(std::span(header_of(tile))));
    output.write(std::as_bytes(elements));
    output.commit();
}

void MatrixFiles::put_aside(TileIndex tile) const {
    const FileName result = file_of(folder_, "C", tile);
    folder_.rename(result.name(), spare_of(folder_, tile).name());
    folder_.remove(result.name());  // still there if both names are links to one file
}

void MatrixFiles::remove(TileIndex tile) const {
    folder_.remove(file_of(folder_, "C", tile).name());
    folder_.remove(spare_of(folder_, tile).name());
}

void MatrixFiles::forget_inputs(const Block& block) const {
    if (cache_ != FileCache::drop) {
        return;
    }
    const Range inner{0, problem_.tiles()};
    for_each_tile({block.rows, inner},
                  [this](TileIndex tile) { forget(file_of(folder_, "A", tile)); });
    for_each_tile({inner, block.columns},
                  [this](TileIndex tile) { forget(file_of(folder_, "B", tile)); });
}

FileSlots::FileSlots(device::Arena& arena, const Problem& problem, std::int64_t count)
    : problem_(problem),
      memory_(arena.make<std::byte>(
          count == 0 ? 0 : count * MatrixFiles::slot_bytes(problem).value + direct_alignment,
          device::MemoryKind::pinned)) {
    // Buffers are aligned to cache lines at least; direct input needs more.
    const auto misaligned =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory_.view().data())) %
        direct_alignment;
    first_ = (direct_alignment - misaligned) % direct_alignment;
}

ResultFiles::~ResultFiles() {
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

void ResultFiles::prepare() {
    written_ = {};
    const bool first = !std::exchange(has_prepared_, true);
    const bool write_over = files_.matrices->cache() == FileCache::warm && !first;
    for_each_tile(block_, [&](TileIndex tile) {
        write_over ? files_.matrices->put_aside(tile) : files_.matrices->remove(tile);
    });
}

void ResultFiles::store(TileIndex tile, device::View<const float> from, device::Stream& stream) {
    stream.enqueue(Phase::copy_out, "tile", [this, tile, from] {
        files_.matrices->write(tile, from.span());
        written_ = written_ + from.bytes();
    });
}

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
