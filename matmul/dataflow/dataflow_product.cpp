#include "matmul/dataflow/dataflow_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/blas.hpp"
#include "device/vector_operations.hpp"

namespace quartet::matmul {

namespace {

constexpr int batch = 16;  // partial tiles that a reducer dequeues at a time (VI.B)

}  // namespace

DataflowProduct::DataflowProduct(const Problem& problem, DataflowPlan plan, bench::Session& session,
                                 comm::Transport& transport, std::unique_ptr<const TileFiles> files)
    : problem_(problem),
      plan_(std::move(plan)),
      rank_(session.world().rank()),
      device_(session.device()),
      operands_(problem, plan_.operands, session.topology().node(), device_, session.threads()),
      hub_(session.world(), &session.trace().track("queue")),
      results_(
          device::allocate<float>(device_, floats_in(plan_.results), device::MemoryKind::host)),
      files_(std::move(files)) {
    if (files_ && plan_.roles.of(rank_) == comm::Role::worker) {
        reader_.emplace(problem, *files_, plan_.input_slots, device_);
    } else if (files_ && plan_.settings.results == Results::kept) {
        complete_ = device_.make_event();
        writing_ = device_.make_stream("write", device::StreamKind::transfer);
    }
    make_queues(transport);
    add_message_kinds();
}

void DataflowProduct::make_queues(comm::Transport& transport) {
    for (const flow::QueuePlan& queue : plan_.queues) {
        queues_.push_back(std::make_unique<flow::Queue>(hub_, transport, queue));
    }
}

void DataflowProduct::add_message_kinds() {
    assignment_kind_ = hub_.add([this](int, std::span<const std::byte> message) {
        std::int64_t number = 0;
        std::memcpy(&number, message.data(), sizeof number);
        assignment_ = number;
    });
    request_kind_ = hub_.add([this](int from, auto) {
        const std::int64_t number = assigned_products_++;
        hub_.send(from, assignment_kind_, std::as_bytes(std::span(&number, 1)));
    });
}

int DataflowProduct::reducer_of(std::int64_t tile_number) const {
    return static_cast<int>(tile_number % plan_.roles.reducers());
}

void DataflowProduct::prepare() {
    received_ = 0;
    assigned_products_ = 0;
    written_ = {};
    if (reader_) {
        reader_->prepare();
    }
}

void DataflowProduct::run(device::Stream& stream) {
    if (plan_.roles.of(rank_) == comm::Role::worker) {
        work(stream);
    } else {
        reduce(stream);
    }
}

void DataflowProduct::work(device::Stream& stream) {
    if (reader_) {
        multiply_from_files(stream);
    } else {
        multiply_from_memory(stream);
    }
    for (const auto& queue : queues_) {
        queue->close();
    }
}

std::int64_t DataflowProduct::products() const {
    return problem_.tiles() * problem_.tiles() * problem_.tiles();
}

// In the order (i, j, k), numbered (i n + j) n + k.
DataflowReader::WorkItem DataflowProduct::work_item(std::int64_t number) const {
    const TileIndex target = tile_at(problem_, number / problem_.tiles());
    const std::int64_t inner = number % problem_.tiles();
    return {number, {target.row, inner}, {inner, target.column}};
}

void DataflowProduct::multiply_from_memory(device::Stream& stream) {
    for (std::int64_t next = next_product(-1); next < products(); next = next_product(next)) {
        const DataflowReader::WorkItem item = work_item(next);
        multiply({next, operands_.tile(Operand::a, item.a), operands_.tile(Operand::b, item.b)},
                 stream);
    }
}

void DataflowProduct::multiply_from_files(device::Stream& stream) {
    std::int64_t next = next_product(-1);
    while (true) {
        while (next < products() && !reader_->full()) {
            reader_->prefetch(work_item(next));
            next = next_product(next);
        }
        if (reader_->empty()) {
            break;
        }
        multiply(reader_->oldest(stream), stream);
        reader_->release(stream);
    }
    reader_->synchronize();
}

std::int64_t DataflowProduct::next_product(std::int64_t before) {
    if (plan_.settings.schedule == WorkSchedule::fixed) {
        return before < 0 ? plan_.roles.index_of(rank_) : before + plan_.roles.workers();
    }
    assignment_.reset();
    hub_.send(plan_.roles.reducer_rank(0), request_kind_, {});
    hub_.serve_until([&] { return assignment_.has_value(); });
    return *assignment_;
}

// The product is written to memory that the queue sends from.
void DataflowProduct::multiply(const DataflowReader::Tiles& tiles, device::Stream& stream) {
    const DataflowReader::WorkItem item = work_item(tiles.number);
    const std::int64_t number = tiles.number / problem_.tiles();
    const TileIndex target = tile_at(problem_, number);
    flow::Queue& queue = *queues_[static_cast<std::size_t>(reducer_of(number))];
    const auto outgoing = queue.next();
    const std::int64_t elements = problem_.elements(target);
    const auto partial = device::view_as<float>(outgoing.part(0, bytes_of<float>(elements).value));
    device_.blas().gemm({problem_.extent(target.row), problem_.extent(target.column),
                         problem_.extent(item.a.column)},
                        tiles.a, tiles.b, partial, device::Update::replace, stream);
    stream.synchronize();
    queue.push(key_of({number, item.a.column}), bytes_of<float>(elements));
}

void DataflowProduct::reduce(device::Stream& stream) {
    flow::Queue& queue = *queues_[static_cast<std::size_t>(plan_.roles.index_of(rank_))];
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            add(item, stream);
        }
        stream.synchronize();
        received_ += std::ssize(items);
    }
    if (writing_) {
        writing_->synchronize();
    }
}

// A reducer's partial tiles are numbered in the order of their products, without gaps.
std::int64_t DataflowProduct::key_of(const Partial& partial) const {
    return partial.target / plan_.roles.reducers() * problem_.tiles() + partial.inner;
}

DataflowProduct::Partial DataflowProduct::partial_of(std::int64_t key) const {
    return {key / problem_.tiles() * plan_.roles.reducers() + plan_.roles.index_of(rank_),
            key % problem_.tiles()};
}

void DataflowProduct::add(const flow::Item& item, device::Stream& stream) {
    const auto [number, inner] = partial_of(item.key);
    const TileIndex tile = tile_at(problem_, number);
    const std::int64_t elements = problem_.elements(tile);
    const auto partial = device::view_as<float>(item.payload);
    const auto target = results_.view().part(result_offset(tile), elements);
    if (inner == 0) {
        device_.copy(device::as_bytes(partial), device::as_bytes(target), stream);
    } else {
        device_.vectors().add(partial, target, stream);
    }
    if (writing_ && inner == problem_.tiles() - 1) {
        write(tile, target, stream);
    }
}

void DataflowProduct::write(TileIndex tile, device::View<float> elements, device::Stream& stream) {
    stream.record(*complete_);
    writing_->wait(*complete_);
    writing_->enqueue(Phase::copy_out, "tile", [this, tile, elements] {
        files_->write(tile, elements.span());
        written_ = written_ + elements.bytes();
    });
}

Traffic DataflowProduct::traffic() const {
    return {.read = reader_ ? reader_->read() : Bytes{}, .written = written_};
}

// A reducer has no input tiles: they are made again for the check.
std::span<const float> DataflowProduct::input(Operand operand, TileIndex tile) {
    input_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, input_);
    return input_;
}

std::span<const float> DataflowProduct::result(TileIndex tile) {
    check(owns(tile), "a tile of another rank");
    return std::as_const(results_).view().part(result_offset(tile), problem_.elements(tile)).span();
}

bool DataflowProduct::owns(TileIndex tile) const {
    return result_offset(tile) >= 0;
}

std::int64_t DataflowProduct::result_offset(TileIndex tile) const {
    return plan_.result_offsets[static_cast<std::size_t>(number_of(problem_, tile))];
}

std::string DataflowProduct::note() const {
    const std::int64_t tiles = problem_.tiles();
    const std::string ahead =
        !files_ ? "" : fmt::format(", {} products read ahead", plan_.settings.lookahead);
    return fmt::format("{} partial tiles shipped for {} of C{}", products(), tiles * tiles, ahead);
}

bench::Details DataflowProduct::details(const comm::Communicator& world) const {
    const double tiles = static_cast<double>(problem_.tiles());
    const double bytes = static_cast<double>(problem_.matrix_bytes().value);
    bench::Details details{.numbers = {{"bytes_shipped", tiles * bytes},
                                       {"partial_tiles", tiles * tiles * tiles},
                                       {"result_tiles", tiles * tiles},
                                       {"reducers", plan_.roles.reducers()}},
                           .series = {}};
    if (files_) {
        const auto add_sum = [&](const char* key, Bytes moved) {
            details.numbers.emplace_back(key, world.sum(static_cast<double>(moved.value)));
        };
        add_sum("bytes_read", traffic().read);
        add_sum("bytes_written", traffic().written);
        details.numbers.emplace_back("lookahead", plan_.settings.lookahead);
    }
    return details;
}

}  // namespace quartet::matmul
