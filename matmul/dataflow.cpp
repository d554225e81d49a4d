#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/session/variants.hpp"
#include "comm/topology/roles.hpp"
#include "device/blas.hpp"
#include "device/vector_operations.hpp"
#include "flow/queue.hpp"
#include "matmul/plan.hpp"

namespace quartet::matmul {

namespace {

/// A data flow as one rank sees it: which ranks work and which reduce, and where A and B lie and a
/// worker's products are made. Reducers compute on the host.
struct DataflowShape {
    comm::Roles roles;
    int rank = 0;  ///< this one
    TilePlaces places{};

    [[nodiscard]] bool works() const { return roles.of(rank) == comm::Role::worker; }
    /// Products whose tiles a worker has or waits for.
    [[nodiscard]] std::int64_t held() const { return places.same() ? 1 : 3; }
    /// The most products of a worker that are enqueued or made, and not pushed yet.
    [[nodiscard]] int deliveries() const { return places.on_gpu ? 2 : 1; }

    /// How many numbers below `count` belong to this rank: every `step`-th number, from the rank's
    /// index in its role on.
    [[nodiscard]] std::int64_t every(int step, std::int64_t count) const {
        return (count + step - 1 - roles.index_of(rank)) / step;
    }
};

// A worker has the operands for all of C, a reducer has none.
OperandLayout operands_of(const CaseContext& context, const DataflowShape& shape) {
    std::vector<Block> blocks(static_cast<std::size_t>(shape.roles.ranks()));
    if (!shape.places.in_files) {
        for (const int worker : shape.roles.worker_ranks()) {
            blocks[static_cast<std::size_t>(worker)] = whole(context.problem);
        }
    }
    return {context.problem, blocks, shape.rank, context.session.topology(),
            copies_over(context.session.registry().traits(context.variant.transport))};
}

/// The paper's data flow (VI.B): workers push partial tiles to reducers, which add them. Products
/// C(i,j) += A(i,k) B(k,j) are numbered in the order (i, j, k); worker w of W makes every W-th, and
/// reducer (i n + j) mod R adds those of tile (i, j) in their order (flow::DequeueOrder::sequence),
/// so that C has the same bits in each run, whatever the queue's bound. All n^3 partial tiles
/// travel, n times as many as C has.
class DataflowProduct : public Product {
  public:
    void set_up() override { inputs_.fill(); }
    [[nodiscard]] device::View<const std::byte> input_memory() const override {
        return inputs_.memory();
    }
    [[nodiscard]] std::string note() const override {
        const std::int64_t tiles = problem_.tiles();
        return fmt::format("{} partial tiles shipped for {} of C", tiles * tiles * tiles,
                           tiles * tiles);
    }

  protected:
    /// Collective; local while the arena plans. Borrows the session.
    DataflowProduct(device::Arena& arena, const CaseContext& context, const DataflowShape& shape,
                    ProductFiles files);

    [[nodiscard]] TileIndex tile(std::int64_t number) const {
        return {number / problem_.tiles(), number % problem_.tiles()};
    }
    [[nodiscard]] int reducer_of(TileIndex tile) const {
        return static_cast<int>(problem_.number(tile) % shape_.roles.reducers());
    }

    Problem problem_;
    DataflowShape shape_;
    ProductFiles files_;
    HostInputs inputs_;
    flow::MessageDispatcher dispatcher_;
    std::vector<std::unique_ptr<flow::Queue>> queues_;  ///< by reducer
};

DataflowProduct::DataflowProduct(device::Arena& arena, const CaseContext& context,
                                 const DataflowShape& shape, ProductFiles files)
    : problem_(context.problem),
      shape_(shape),
      files_(std::move(files)),
      inputs_(arena, problem_, operands_of(context, shape), context.session.topology().node()),
      dispatcher_(arena, context.session.world(),
                  arena.plans() ? nullptr : &context.session.trace().track("queue")) {
    comm::Transport& transport = context.session.transport(context.variant.transport);
    for (int reducer = 0; reducer < shape.roles.reducers(); ++reducer) {
        const flow::QueuePlan queue{.owner = shape.roles.reducer_rank(reducer),
                                    .pushers = shape.roles.worker_ranks(),
                                    .bound = context.session.options().queue,
                                    .largest = problem_.tile_bytes(),
                                    .order = flow::DequeueOrder::sequence,
                                    // Of a worker's partial tiles for a reducer, one is made while
                                    // one is read; on a GPU one more is enqueued.
                                    .outgoing = shape.deliveries() + 1};
        queues_.push_back(std::make_unique<flow::Queue>(arena, dispatcher_, transport, queue));
    }
}

constexpr int batch = 16;  // partial tiles that a reducer dequeues at a time (VI.B)

/// Takes the partial tiles of its tiles of C in the products' order, and adds them in place. With
/// --keep a stream writes complete tiles of C to their files, beside the sums.
class DataflowReducer final : public DataflowProduct {
  public:
    DataflowReducer(device::Arena& arena, const CaseContext& context, const DataflowShape& shape,
                    const ProductFiles& files)
        : DataflowProduct(arena, context, shape, files),
          index_(shape.roles.index_of(shape.rank)),
          device_(context.session.reducer_device()),
          stream_(context.session.reducer_stream()),
          results_(arena.make<float>(
              shape.every(shape.roles.reducers(), problem_.tiles() * problem_.tiles()) *
                  problem_.elements({}),
              device::MemoryKind::host)),
          file_(arena, problem_, shape.places.in_files ? 1 : 0) {
        if (files.keep == bench::Switch::on) {
            kept_.emplace(Block{}, files);
            complete_ = device_.make_event();
            writing_ = device_.make_stream("write", device::StreamKind::transfer);
        }
    }

    void prepare() override {
        if (kept_) {
            kept_->prepare();
        }
    }
    /// Returns when the workers have closed the queue and all is added.
    void run(device::Stream& stream) override;
    /// A reducer has no tiles of A and B: it reads them from files or makes them again.
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override { return view(tile).span(); }
    [[nodiscard]] bool owns(TileIndex tile) const override { return reducer_of(tile) == index_; }
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override {
        const Bytes written = kept_ ? kept_->written() : Bytes{};
        return traffic_of_all(world, shape_.places, {.read = {}, .written = written}, {});
    }

  private:
    void add(const flow::Item& item);
    [[nodiscard]] device::View<float> view(TileIndex tile);

    int index_;  ///< among the reducers
    device::Device& device_;
    device::Stream& stream_;
    device::Buffer<float> results_;            ///< every R-th tile of C
    FileSlots file_;                           ///< a tile of A or B that the check reads
    std::vector<float> input_;                 ///< a tile of A or B that is made again
    std::optional<ResultFiles> kept_;          ///< with --keep
    std::unique_ptr<device::Event> complete_;  ///< a tile of C
    std::unique_ptr<device::Stream> writing_;  ///< where C goes to its files
};

void DataflowReducer::run(device::Stream& /*stream*/) {
    flow::Queue& queue = *queues_[static_cast<std::size_t>(index_)];
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            add(item);
        }
        stream_.synchronize();
    }
    if (writing_) {
        writing_->synchronize();
    }
}

// Keys count the products of this reducer's tiles.
void DataflowReducer::add(const flow::Item& item) {
    const std::int64_t inner = item.key % problem_.tiles();
    const TileIndex index = tile(item.key / problem_.tiles() * shape_.roles.reducers() + index_);
    const auto partial = device::view_as<float>(item.payload);
    const auto result = view(index);
    if (inner == 0) {
        device_.copy(as_bytes(partial), as_bytes(result), stream_);
    } else {
        device_.vectors().add(partial, result, stream_);
    }
    if (kept_ && inner == problem_.tiles() - 1) {
        stream_.record(*complete_);
        writing_->wait(*complete_);
        kept_->store(index, result, *writing_);
    }
}

std::span<const float> DataflowReducer::input(Operand operand, TileIndex tile) {
    if (files_.matrices) {
        return files_.matrices->read(name(operand), tile, file_.slot(0).span());
    }
    input_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, input_);
    return input_;
}

device::View<float> DataflowReducer::view(TileIndex tile) {
    check(owns(tile), "a tile of another rank");
    const std::int64_t number = problem_.number(tile) / shape_.roles.reducers();
    return results_.view().part(number * problem_.elements({}), problem_.elements(tile));
}

/// Brings the tiles of A and B to where it computes, some products ahead and anew for each product,
/// as published ("each loads A(i,k), B(k,j)", VI.B), multiplies them, and pushes the partial tile
/// to the queue of the reducer that owns the target. A host writes the product to memory that the
/// queue sends from; a GPU writes it to its own memory, and a stream copies it out beside the next
/// product, which is enqueued before this one is pushed.
class DataflowWorker final : public DataflowProduct {
  public:
    DataflowWorker(device::Arena& arena, const CaseContext& context, const DataflowShape& shape,
                   const ProductFiles& files);

    void prepare() override;
    /// All products of this worker; the queues are closed on return.
    void run(device::Stream& stream) override;
    std::span<const float> input(Operand /*operand*/, TileIndex /*tile*/) override {
        throw Failure("a worker of a data flow has nothing to be checked");
    }
    std::span<const float> result(TileIndex /*tile*/) override {
        throw Failure("a tile of another rank");
    }
    [[nodiscard]] bool owns(TileIndex /*tile*/) const override { return false; }
    [[nodiscard]] bench::Details details(const comm::Communicator& world) const override {
        return traffic_of_all(world, shape_.places, {.read = loader_.read(), .written = {}},
                              {.read = loader_.copied(), .written = copied_out_});
    }

  private:
    /// The events of a partial tile that is made and not pushed yet.
    struct Delivery {
        std::unique_ptr<device::Event> made;   ///< by the product
        std::unique_ptr<device::Event> ready;  ///< in the queue's memory
    };

    /// A product: its tiles of C, A and B.
    struct Turn {
        TileIndex target;
        std::int64_t inner;
        Fetch a;
        Fetch b;
    };

    /// This worker's product number `turn`.
    [[nodiscard]] Turn product(std::int64_t turn) const;
    [[nodiscard]] flow::Queue& queue_of(TileIndex target) const {
        return *queues_[static_cast<std::size_t>(reducer_of(target))];
    }
    void multiply(std::int64_t turn, device::Stream& stream);
    void push(std::int64_t turn);
    [[nodiscard]] Delivery& delivery(std::int64_t turn) {
        return deliveries_[static_cast<std::size_t>(turn % std::ssize(deliveries_))];
    }

    device::Device& device_;
    device::Buffer<float> partials_;  ///< on a GPU, one for each delivery
    TileLoader loader_;
    std::int64_t count_;                ///< products of this worker
    std::vector<Delivery> deliveries_;  ///< a ring
    Bytes copied_out_;
    std::unique_ptr<device::Stream> copying_;  ///< where partial tiles are copied out
};

DataflowWorker::DataflowWorker(device::Arena& arena, const CaseContext& context,
                               const DataflowShape& shape, const ProductFiles& files)
    : DataflowProduct(arena, context, shape, files),
      device_(arena.device()),
      partials_(
          arena.make<float>(shape.places.on_gpu ? shape.deliveries() * problem_.elements({}) : 0)),
      loader_(arena, problem_, shape.places, 2 * shape.held(), files, &inputs_),
      count_(shape.every(shape.roles.workers(),
                         problem_.tiles() * problem_.tiles() * problem_.tiles())),
      deliveries_(static_cast<std::size_t>(shape.deliveries())) {
    if (shape.places.on_gpu) {
        arena.reserve(device_.blas().workspace(), device::MemoryKind::device);
        copying_ = make_transfer_stream(arena, "copy out");
    }
    for (Delivery& delivery : deliveries_) {
        delivery = {device_.make_event(), device_.make_event()};
    }
}

void DataflowWorker::prepare() {
    copied_out_ = {};
    loader_.prepare();
    if (files_.matrices) {
        files_.matrices->forget_inputs(whole(problem_));
    }
}

void DataflowWorker::run(device::Stream& stream) {
    std::int64_t fetched = 0;
    std::int64_t pushed = 0;
    for (std::int64_t turn = 0; turn < count_; ++turn) {
        for (; fetched < std::min(turn + shape_.held(), count_); ++fetched) {
            loader_.fetch(product(fetched).a);
            loader_.fetch(product(fetched).b);
        }
        multiply(turn, stream);
        if (turn + 1 - pushed == std::ssize(deliveries_)) {
            push(pushed++);
        }
    }
    while (pushed < count_) {
        push(pushed++);
    }
    synchronize_all(&loader_, &stream, copying_.get());
    for (const auto& queue : queues_) {
        queue->close();
    }
}

DataflowWorker::Turn DataflowWorker::product(std::int64_t turn) const {
    const std::int64_t number = shape_.roles.index_of(shape_.rank) + turn * shape_.roles.workers();
    const TileIndex target = tile(number / problem_.tiles());
    const std::int64_t inner = number % problem_.tiles();
    const std::int64_t slot = 2 * (turn % shape_.held());
    return {target,
            inner,
            {Operand::a, {target.row, inner}, slot},
            {Operand::b, {inner, target.column}, slot + 1}};
}

void DataflowWorker::multiply(std::int64_t turn, device::Stream& stream) {
    const auto [target, inner, left, right] = product(turn);
    const auto a = loader_.tile(left, stream);
    const auto b = loader_.tile(right, stream);
    // Earlier products for the same queue that are not pushed yet have its next payloads.
    flow::Queue& queue = queue_of(target);
    int others = 0;
    for (std::int64_t before = std::max<std::int64_t>(turn + 1 - std::ssize(deliveries_), 0);
         before < turn; ++before) {
        others += &queue_of(product(before).target) == &queue ? 1 : 0;
    }
    const std::int64_t size = problem_.elements(target);
    const auto outgoing =
        device::view_as<float>(queue.next(others).part(0, bytes_of<float>(size).value));
    Delivery& made = delivery(turn);
    const std::int64_t place = turn % std::ssize(deliveries_) * problem_.elements({});
    const auto partial = copying_ ? partials_.view().part(place, size) : outgoing;
    device_.blas().gemm(
        {problem_.extent(target.row), problem_.extent(target.column), problem_.extent(inner)}, a, b,
        partial, device::Update::replace, stream);
    if (copying_) {
        stream.record(*made.made);
        copying_->wait(*made.made);
        device_.copy(as_bytes(device::View<const float>(partial)), as_bytes(outgoing), *copying_);
        copying_->record(*made.ready);
        copied_out_ = copied_out_ + partial.bytes();
    } else {
        stream.record(*made.ready);
    }
    loader_.release(left, stream);
    loader_.release(right, stream);
}

void DataflowWorker::push(std::int64_t turn) {
    delivery(turn).ready->synchronize();
    const Turn made = product(turn);
    const std::int64_t key =
        problem_.number(made.target) / shape_.roles.reducers() * problem_.tiles() + made.inner;
    queue_of(made.target).push(key, bytes_of<float>(problem_.elements(made.target)));
}

DataflowShape shape_of(const CaseContext& context) {
    const int ranks = context.session.world().size();
    return {comm::Roles::with_reducers(ranks, context.options.reducers.value_or(ranks < 4 ? 1 : 2)),
            context.rank(),
            {.in_files = context.options.data.in_files(), .on_gpu = context.on_gpu()}};
}

// A worker reads two tiles for each product, even if it has read them before.
LimitPlan limit_of(const CaseContext& context, const DataflowShape& shape) {
    const Problem& problem = context.problem;
    const comm::Roles& roles = shape.roles;
    const bool works = shape.works();
    const auto tiles = static_cast<double>(problem.tiles());
    const double products = tiles * tiles * tiles;
    LimitPlan limit{.sgemm = sgemm_limit(context, roles.workers()),
                    .reducers = LimitPlan::Reducers{.role = roles.of(shape.rank),
                                                    .partial_tiles = products / roles.reducers(),
                                                    .tile = problem.tile_bytes(),
                                                    .transport = context.variant.transport,
                                                    .worker = roles.worker_rank(0)}};
    if (!works) {
        limit.sgemm.edge = 0;
    }
    if (shape.places.on_gpu) {
        const auto tile = static_cast<double>(problem.tile_bytes().value);
        const double mine = works ? products / roles.workers() : 0;
        limit.copies = LimitPlan::Copies{.in = 2 * mine * tile, .out = mine * tile};
    }
    if (shape.places.in_files) {
        const auto matrix = static_cast<double>(problem.matrix_bytes().value);
        limit.storage = storage_limit(context, works ? whole(problem) : Block{},
                                      2 * tiles * matrix / roles.workers());
    }
    return limit;
}

void complete(const CaseContext& context, const DataflowShape& shape, bench::PlannedCase& planned) {
    const Problem& problem = context.problem;
    const comm::Roles& roles = shape.roles;
    add_tile_factors(context, planned.name);
    planned.name.factors.emplace_back("reducers", std::to_string(roles.reducers()));
    planned.name.factors.emplace_back("queue", std::to_string(context.session.options().queue));
    add_memory_factors(context, planned.name);
    planned.roles = roles;
    planned.work.workers = roles.workers();
    planned.plan_note = fmt::format("the first {} of {} ranks reduce, the others work",
                                    roles.reducers(), roles.ranks());
    if (shape.places.in_files) {  // two tiles a product, to the page cache and from there
        planned.work.bytes = 2 * problem.tiles() * problem.matrix_bytes();
        planned.traffic = 2 * Bytes{planned.work.bytes.value / roles.workers()};
    }
}

}  // namespace

ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned) {
    const DataflowShape shape = shape_of(context);
    // A reducer has every R-th tile of all of C.
    ProductPlan plan{.block = shape.works() ? Block{} : whole(context.problem),
                     .limit = limit_of(context, shape)};
    complete(context, shape, planned);
    plan.make = [context, shape, block = plan.block, limit = plan.limit](
                    device::Arena& arena, const ProductFiles& files) -> std::unique_ptr<Product> {
        std::unique_ptr<Product> product;
        if (shape.works()) {
            product = std::make_unique<DataflowWorker>(arena, context, shape, files);
        } else {
            product = std::make_unique<DataflowReducer>(arena, context, shape, files);
        }
        if (arena.plans() && context.on_gpu()) {
            require_tile_memory(context.problem, arena.needs().device,
                                {allowed_device_memory(context.session),
                                 needs_besides(context, block, limit).device});
        }
        return product;
    };
    return plan;
}

}  // namespace quartet::matmul
