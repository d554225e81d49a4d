#include "matmul/dataflow/dataflow_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/blas.hpp"
#include "device/vector_operations.hpp"

namespace quartet::matmul {

namespace {

constexpr int batch = 16;                   // that a reducer takes out at a time (VI.B)
constexpr int partial_tiles_under_way = 2;  // of a worker, for each reducer: one is made, one read

TileIndex tile_at(const Problem& problem, std::int64_t number) {
    return {number / problem.tiles(), number % problem.tiles()};
}

std::int64_t number_of(const Problem& problem, TileIndex tile) {
    return tile.row * problem.tiles() + tile.column;
}

std::vector<Block> nothing(const comm::Roles& roles) {
    return std::vector<Block>(static_cast<std::size_t>(roles.ranks()));
}

// Where each tile of a reducer begins among its tiles; -1 for the others', elements in all last.
std::vector<std::int64_t> begins_of(const Problem& problem, const comm::Roles& roles, int rank) {
    std::vector<std::int64_t> begins;
    std::int64_t used = 0;
    for (std::int64_t number = 0; number < problem.tiles() * problem.tiles(); ++number) {
        const bool mine = roles.of(rank) == comm::Role::reducer &&
                          number % roles.reducers() == roles.index_of(rank);
        begins.push_back(mine ? used : -1);
        used += mine ? problem.elements(tile_at(problem, number)) : 0;
    }
    begins.push_back(used);
    return begins;
}

}  // namespace

std::vector<Block> DataflowProduct::needs(const Problem& problem, const comm::Roles& roles) {
    const Range all{0, problem.tiles()};
    std::vector<Block> blocks(static_cast<std::size_t>(roles.ranks()));
    for (const int worker : roles.worker_ranks()) {
        blocks[static_cast<std::size_t>(worker)] = {all, all};
    }
    return blocks;
}

OperandMemory DataflowProduct::memory(const Problem& problem, const comm::Roles& roles,
                                      const comm::Topology& topology, int rank, Sharing sharing,
                                      const Settings& settings, Inputs inputs) {
    OperandMemory memory;
    const bool windows = sharing == Sharing::one_copy;
    if (inputs == Inputs::memory) {
        memory = Operands::memory(problem, needs(problem, roles), topology, sharing);
    }
    if (roles.of(rank) == comm::Role::worker) {
        const Bytes partial = roles.reducers() * partial_tiles_under_way * problem.tile_bytes();
        const Bytes read =
            inputs == Inputs::files ? DataflowReader::memory(problem, settings.lookahead) : Bytes{};
        memory.all = memory.all + partial + read;
        memory.shared = memory.shared + (windows ? partial : Bytes{});
        return memory;
    }
    const int incoming =
        windows ? 0 : std::min(settings.bound, partial_tiles_under_way * roles.workers());
    memory.all = memory.all + bytes_of<float>(begins_of(problem, roles, rank).back()) +
                 incoming * problem.tile_bytes();
    return memory;
}

DataflowProduct::DataflowProduct(const Problem& problem, const comm::Roles& roles,
                                 bench::Session& session, comm::Transport& transport,
                                 Sharing sharing, Settings settings, const TileFiles* files)
    : problem_(problem),
      roles_(roles),
      rank_(session.world().rank()),
      device_(session.device()),
      settings_(settings),
      operands_(problem, files == nullptr ? needs(problem, roles) : nothing(roles),
                session.topology(), sharing, session.device(), session.threads()),
      hub_(session.world(), &session.trace().track("queue")),
      begins_(begins_of(problem, roles, rank_)),
      results_(device::allocate<float>(device_, begins_.back(), device::MemoryKind::host)),
      files_(files) {
    if (files_ != nullptr && roles.of(rank_) == comm::Role::worker) {
        reader_.emplace(problem, *files_, device_, settings.lookahead);
    } else if (files_ != nullptr && settings.results == Results::kept) {
        complete_ = device_.make_event();
        writing_ = device_.make_stream("write", device::StreamKind::transfer);
    }
    for (int reducer = 0; reducer < roles.reducers(); ++reducer) {
        queues_.push_back(
            std::make_unique<flow::Queue>(hub_, transport,
                                          flow::QueuePlan{.owner = roles.reducer_rank(reducer),
                                                          .pushers = roles.worker_ranks(),
                                                          .bound = settings.bound,
                                                          .largest = problem.tile_bytes(),
                                                          .order = flow::Order::sequence,
                                                          .outgoing = partial_tiles_under_way}));
    }
    share_kind_ = hub_.add([this](int, std::span<const std::byte> message) {
        std::int64_t share = 0;
        std::memcpy(&share, message.data(), sizeof share);
        share_ = share;
    });
    wish_kind_ = hub_.add([this](int from, auto) {
        const std::int64_t share = shared_out_++;
        hub_.send(from, share_kind_, std::as_bytes(std::span(&share, 1)));
    });
}

int DataflowProduct::reducer_of(std::int64_t tile_number) const {
    return static_cast<int>(tile_number % roles_.reducers());
}

void DataflowProduct::prepare() {
    received_ = 0;
    shared_out_ = 0;
    written_ = {};
    if (reader_) {
        reader_->prepare();
    }
}

void DataflowProduct::run(device::Stream& stream) {
    if (roles_.of(rank_) == comm::Role::worker) {
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
DataflowReader::Product DataflowProduct::product_at(std::int64_t number) const {
    const TileIndex target = tile_at(problem_, number / problem_.tiles());
    const std::int64_t inner = number % problem_.tiles();
    return {number, {target.row, inner}, {inner, target.column}};
}

void DataflowProduct::multiply_from_memory(device::Stream& stream) {
    for (std::int64_t next = next_product(-1); next < products(); next = next_product(next)) {
        const DataflowReader::Product product = product_at(next);
        multiply(
            {next, operands_.tile(Operand::a, product.a), operands_.tile(Operand::b, product.b)},
            stream);
    }
}

void DataflowProduct::multiply_from_files(device::Stream& stream) {
    std::int64_t next = next_product(-1);
    while (true) {
        while (next < products() && !reader_->full()) {
            reader_->begin(product_at(next));
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
    if (settings_.shares == Shares::fixed) {
        return before < 0 ? roles_.index_of(rank_) : before + roles_.workers();
    }
    share_.reset();
    hub_.send(roles_.reducer_rank(0), wish_kind_, {});
    hub_.serve_until([&] { return share_.has_value(); });
    return *share_;
}

// The product is made where it is posted from.
void DataflowProduct::multiply(const DataflowReader::Tiles& tiles, device::Stream& stream) {
    const DataflowReader::Product product = product_at(tiles.number);
    const std::int64_t number = tiles.number / problem_.tiles();
    const TileIndex target = tile_at(problem_, number);
    flow::Queue& queue = *queues_[static_cast<std::size_t>(reducer_of(number))];
    const auto place = queue.next();
    const std::int64_t elements = problem_.elements(target);
    const device::View<float> partial{reinterpret_cast<float*>(place.data()), elements,
                                      place.kind()};
    device_.blas().gemm({problem_.extent(target.row), problem_.extent(target.column),
                         problem_.extent(product.a.column)},
                        tiles.a, tiles.b, partial, device::Update::replace, stream);
    stream.synchronize();
    queue.push(key_of({number, product.a.column}), bytes_of<float>(elements));
}

void DataflowProduct::reduce(device::Stream& stream) {
    flow::Queue& queue = *queues_[static_cast<std::size_t>(roles_.index_of(rank_))];
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
    return partial.target / roles_.reducers() * problem_.tiles() + partial.inner;
}

DataflowProduct::Partial DataflowProduct::partial_of(std::int64_t key) const {
    return {key / problem_.tiles() * roles_.reducers() + roles_.index_of(rank_),
            key % problem_.tiles()};
}

void DataflowProduct::add(const flow::Item& item, device::Stream& stream) {
    const auto [number, inner] = partial_of(item.key);
    const TileIndex tile = tile_at(problem_, number);
    const std::int64_t elements = problem_.elements(tile);
    const device::View<const float> partial{reinterpret_cast<const float*>(item.payload.data()),
                                            elements, item.payload.kind()};
    const auto target = results_.view().part(begins_[static_cast<std::size_t>(number)], elements);
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

// A reducer has no input tiles: the check makes them anew.
std::span<const float> DataflowProduct::input(Operand operand, TileIndex tile) {
    made_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, operand == Operand::a ? "A" : "B", tile, made_);
    return made_;
}

std::span<const float> DataflowProduct::result(TileIndex tile) {
    check(owns(tile), "a tile of another rank");
    const auto number = static_cast<std::size_t>(number_of(problem_, tile));
    return std::as_const(results_).view().part(begins_[number], problem_.elements(tile)).span();
}

bool DataflowProduct::owns(TileIndex tile) const {
    return begins_[static_cast<std::size_t>(number_of(problem_, tile))] >= 0;
}

std::string DataflowProduct::note() const {
    const std::int64_t tiles = problem_.tiles();
    const std::string ahead =
        files_ == nullptr ? "" : fmt::format(", {} products read ahead", settings_.lookahead);
    return fmt::format("{} partial tiles shipped for {} of C{}", products(), tiles * tiles, ahead);
}

}  // namespace quartet::matmul
