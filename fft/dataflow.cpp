#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/measure/probes.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "fft/formulations.hpp"
#include "fft/host_fft.hpp"
#include "fft/tiles.hpp"
#include "fft/verify.hpp"

namespace quartet::fft {

namespace {

/// Tiles that are staged at a time: one is copied while the next is computed on.
constexpr std::int64_t staged_tiles = 2;

/// A worker's.
struct WorkerBuffers {
    WorkerBuffers(bench::Arena& arena, const DataflowPlan& plan)
        : input(arena.make<Point>(plan.tiles.size() * plan.problem.length())),
          discarded(arena.make<double>(plan.tile.parts_size())),
          staged(arena.make<double>(plan.copies ? staged_tiles * plan.tile.parts_size() : 0)) {}

    device::Buffer<Point> input;       ///< its tiles, in the order in which they are pushed
    device::Buffer<double> discarded;  ///< what its limit writes
    device::Buffer<double> staged;     ///< transformed tiles on their way to the CPU's memory
};

/// The merger's, in the memory that its device computes on: `room` says whose that is.
struct MergerBuffers {
    MergerBuffers(bench::Arena& arena, const Problem& problem,
                  bench::Room room = bench::Room::device)
        : row_input(arena.make<double>(problem.shape(1, 0).parts_size(), room)),
          result(arena.make<Point>(problem.points, room)) {}

    device::Buffer<double> row_input;  ///< the SIMD blocks that the row FFTs transform
    device::Buffer<Point> result;      ///< X in natural order
};

/// Times work that is done as often as fills a probe's time.
class TimedPasses {
  public:
    /// Does the work twice: the first time meets cold caches.
    explicit TimedPasses(std::function<void()> work) : work_(std::move(work)) {
        work_();
        passes_ = bench::passes_in(bench::probe_time, measure());
    }

    /// The time of one pass.
    [[nodiscard]] Seconds measure() const {
        const Seconds begin = now();
        for (int pass = 0; pass < passes_; ++pass) {
            work_();
        }
        return (1.0 / passes_) * (now() - begin);
    }

  private:
    std::function<void()> work_;
    int passes_ = 1;
};

/// The work of one rank in the data flow. All members are local, but may wait in the queue for
/// other ranks.
class DataflowRole {
  public:
    virtual ~DataflowRole() = default;
    /// Before each run, outside of the time.
    virtual void prepare() = 0;
    virtual void run(flow::Queue& queue, bench::Clocks& clocks) = 0;

    /// A worker's tiles, one after another; outside of runs.
    virtual void read_input(const UsePiece&) {}
    /// The same in memory, if runs leave it as it is; empty if they read files.
    [[nodiscard]] virtual device::View<const Point> kept_input() { return {}; }
    /// X on the reducer, where it computes; outside of runs the CPU reads it.
    [[nodiscard]] virtual device::View<Point> result() { return {}; }
    virtual void read_result(const UsePiece&) {}

    /// Makes ready what measure() needs. Payloads that are under way in the queue: none.
    virtual void prepare_limit(flow::Queue& queue) = 0;
    /// This rank's part of the limit.
    struct Times {
        Seconds transforms;  ///< of a worker's tiles
        Seconds copy;        ///< of all points on the reducer
        Seconds host_link;   ///< of its tiles between its GPU and the host's memory
    };
    [[nodiscard]] virtual Times measure() = 0;
};

/// Transforms its tiles and pushes each to the reducer: column FFTs write the tile's SIMD blocks,
/// whose layout is the same on all devices, into the queue's own memory. Where that is the host's
/// and tiles are on a GPU, each is copied there while the next is transformed. Tiles in files are
/// read anew in each run, one ahead.
class DataflowWorker final : public DataflowRole {
  public:
    /// The tiles' files are there and have been checked.
    DataflowWorker(bench::Session& session, const DataflowPlan& plan);

    void prepare() override {
        if (loader_) {
            loader_->prepare();
        }
    }
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    void read_input(const UsePiece& use) override {
        device::HostAccess(session_.device(), session_.stream())
            .read(device::View<const Point>(buffers_.input.view()), use);
    }
    [[nodiscard]] device::View<const Point> kept_input() override {
        return loader_ ? device::View<const Point>() : buffers_.input.view();
    }
    void prepare_limit(flow::Queue& queue) override;
    [[nodiscard]] Times measure() override;

  private:
    [[nodiscard]] device::View<Point> tile(std::int64_t number);
    [[nodiscard]] device::View<double> staged(std::int64_t number);
    void read_ahead(std::int64_t number);
    void begin(std::int64_t number, device::View<std::byte> slot);
    void transform_all();
    void copy_all();

    bench::Session& session_;
    DataflowPlan plan_;
    bench::Arena arena_;
    WorkerBuffers buffers_;
    std::optional<TileLoader> loader_;  ///< where tiles are in files
    std::unique_ptr<ColumnFfts> column_ffts_;
    std::unique_ptr<device::Stream> copying_;
    /// A tile that is under way: when it has been transformed, and when it can be pushed.
    struct Step {
        std::unique_ptr<device::Event> transformed;
        std::unique_ptr<device::Event> done;
    };
    std::array<Step, staged_tiles> steps_;
    [[nodiscard]] Step& step(std::int64_t number) {
        return steps_.at(static_cast<std::size_t>(number % staged_tiles));
    }

    flow::Queue* queue_ = nullptr;  ///< whose payloads the limit copies to
    std::optional<TimedPasses> transforms_;
    std::optional<TimedPasses> copies_;
};

DataflowWorker::DataflowWorker(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      arena_(session.device()),
      buffers_(arena_, plan),
      column_ffts_(plan.ffts->column_ffts(plan.tile)) {
    if (plan.copies) {
        copying_ = session.device().make_stream("copy out", device::StreamKind::transfer);
    }
    for (Step& step : steps_) {
        step = {session.device().make_event(), session.device().make_event()};
    }
    if (plan_.data.in_files()) {
        loader_.emplace(session_, plan_.problem, plan_.tiles, plan_.data);
        loader_->load(buffers_.input.view());
        session_.stream().synchronize();
    } else {
        make_tiles(session_, plan_.problem, plan_.tiles.begin * plan_.problem.length(),
                   buffers_.input.view());
    }
}

void DataflowWorker::read_ahead(std::int64_t number) {
    if (loader_ && number < plan_.tiles.size()) {
        loader_->begin(number, tile(number));
    }
}

device::View<Point> DataflowWorker::tile(std::int64_t number) {
    const std::int64_t length = plan_.problem.length();
    return buffers_.input.view().part(number * length, length);
}

device::View<double> DataflowWorker::staged(std::int64_t number) {
    const std::int64_t size = plan_.tile.parts_size();
    return buffers_.staged.view().part(number % staged_tiles * size, size);
}

// The tile that was staged in the same place before has been pushed.
void DataflowWorker::begin(std::int64_t number, device::View<std::byte> slot) {
    device::Stream& stream = session_.stream();
    if (loader_) {
        read_ahead(number + 1);
        loader_->bring(number, tile(number));
    }
    if (!plan_.copies) {
        column_ffts_->run(tile(number), device::view_as<double>(slot), stream);
        stream.record(*step(number).done);
        return;
    }
    column_ffts_->run(tile(number), staged(number), stream);
    stream.record(*step(number).transformed);
    copying_->wait(*step(number).transformed);
    session_.device().copy(device::as_bytes(staged(number)), slot, *copying_);
    copying_->record(*step(number).done);
}

// A host's streams work while they are enqueued to: there a tile is pushed before the next begins.
void DataflowWorker::run(flow::Queue& queue, bench::Clocks&) {
    const Bytes size = bytes_of<double>(plan_.tile.parts_size());
    const std::int64_t ahead = device::has_own_memory(session_.device()) ? staged_tiles - 1 : 0;
    read_ahead(0);
    for (std::int64_t number = 0; number < plan_.tiles.size() + ahead; ++number) {
        if (number < plan_.tiles.size()) {
            const auto begun = static_cast<int>(std::min(number, ahead));
            begin(number, queue.next(begun).part(0, size.value));
        }
        if (number >= ahead) {
            step(number - ahead).done->synchronize();
            queue.push(plan_.tiles.begin + number - ahead, size);
        }
    }
    session_.stream().synchronize();
    if (loader_) {
        loader_->finish();
    }
    queue.close();
}

void DataflowWorker::prepare_limit(flow::Queue& queue) {
    queue_ = &queue;
    transforms_.emplace([this] { transform_all(); });
    if (plan_.copies) {
        copies_.emplace([this] { copy_all(); });
    }
}

DataflowRole::Times DataflowWorker::measure() {
    return {.transforms = transforms_->measure(),
            .copy = {},
            .host_link = copies_ ? copies_->measure() : Seconds{}};
}

void DataflowWorker::transform_all() {
    for (std::int64_t number = 0; number < plan_.tiles.size(); ++number) {
        column_ffts_->run(tile(number), buffers_.discarded.view(), session_.stream());
    }
    session_.stream().synchronize();
}

void DataflowWorker::copy_all() {
    const std::int64_t size = bytes_of<double>(plan_.tile.parts_size()).value;
    for (std::int64_t number = 0; number < plan_.tiles.size(); ++number) {
        const auto slot = static_cast<int>(number % plan_.queue.outgoing);
        session_.device().copy(device::as_bytes(staged(number)),
                               queue_->outgoing(slot).part(0, size), *copying_);
    }
    copying_->synchronize();
}

/// Multiplies the tiles by their twiddles as they come, and transforms over all tiles, on the CPU.
class DataflowReducer final : public DataflowRole {
  public:
    /// The number of the clock that stops when the last tile has come.
    static constexpr std::size_t collected = 0;

    DataflowReducer(bench::Session& session, const DataflowPlan& plan)
        : device_(session.reducer_device()),
          stream_(session.reducer_stream()),
          arena_(device_),
          buffers_(arena_, plan.problem),
          parts_{std::as_const(buffers_.row_input).view()},
          scatter_(plan.problem.shape(1, 0), host_fft_settings(device_)),
          row_ffts_(plan.ffts->row_ffts(plan.problem.shape(1, 0))) {}

    void prepare() override { device_.vectors().fill(0.0, as_real(result()), stream_); }
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] device::View<Point> result() override { return buffers_.result.view(); }
    void read_result(const UsePiece& use) override {
        device::HostAccess(device_, stream_).read(device::View<const Point>(result()), use);
    }
    void prepare_limit(flow::Queue& queue) override;
    [[nodiscard]] Times measure() override {
        return {.transforms = {}, .copy = copy_->measure(passes_, stream_), .host_link = {}};
    }

  private:
    device::Device& device_;
    device::Stream& stream_;
    bench::Arena arena_;
    MergerBuffers buffers_;
    std::vector<device::View<const double>> parts_;  ///< the input of the row FFTs
    TileScatter scatter_;
    std::unique_ptr<RowFfts> row_ffts_;
    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 1;
};

void DataflowReducer::run(flow::Queue& queue, bench::Clocks& clocks) {
    constexpr int batch = 16;  // tiles that are taken out at a time
    const Seconds begin = now();
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            scatter_.run(item.key, device::view_as<double>(item.payload), buffers_.row_input.view(),
                         stream_);
        }
        stream_.synchronize();
    }
    clocks.record(collected, now() - begin);
    row_ffts_->run(parts_, result(), stream_);
    stream_.synchronize();
}

// The copy covers as much memory as the row FFTs do: a smaller one would stay in the caches.
void DataflowReducer::prepare_limit(flow::Queue&) {
    constexpr int most_passes = 1000;
    const auto points = as_real(result());
    copy_.emplace(device_, parts_.front().part(0, points.size()), points);
    passes_ = copy_->passes_for(bench::probe_time, most_passes, stream_);
}

/// The dataflow formulation (the paper's VI.D): workers transform their tiles and push each through
/// a bounded queue to the one reducer, rank 0, which merges them into natural order. The paper's
/// clock stops when the reducer has the last tile; the case's own when it has the result.
///
/// On GPUs the merger computes on the CPU; the tiles' SIMD blocks are laid out alike.
///
/// The limit: the slowest of the workers' transforms, made alone, the reducer's intake, which reads
/// and writes each point once, copies between GPUs and CPUs, and the link; then one more reading
/// and writing, as each value of the result depends on the last tile.
class DataflowCase final : public TransformCase {
  public:
    /// Collective. Throws Unavailable.
    DataflowCase(bench::Session& session, const DataflowPlan& plan);

    void prepare() override { role_->prepare(); }
    void run(bench::Clocks& clocks) override { role_->run(*queue_, clocks); }
    bench::Check verify() override {
        return guard_.judge(check_.verify(pieces_of_result()), session_.world());
    }
    void finish() override {
        keep_result(session_, plan_.data, plan_.problem, pieces_of_result(),
                    result_layout(plan_.problem, result().size()));
    }
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override;
    [[nodiscard]] std::string note() const override {
        return fmt::format("{} tiles to one merger of {} thread{}", plan_.problem.tiles,
                           session_.threads(), session_.threads() == 1 ? "" : "s");
    }

    [[nodiscard]] device::View<Point> result() override { return role_->result(); }

  private:
    [[nodiscard]] ReadPieces pieces_of_result() {
        return [this](const UsePiece& use) { role_->read_result(use); };
    }

    bench::Session& session_;
    DataflowPlan plan_;
    comm::Transport& transport_;
    std::unique_ptr<flow::Hub> hub_;
    std::unique_ptr<flow::Queue> queue_;
    std::unique_ptr<DataflowRole> role_;
    bench::InputGuard guard_;
    TransformCheck check_;
    std::optional<bench::PairProbe> link_;  ///< where tiles travel
};

TransformCheck check_of(bench::Session& session, const DataflowPlan& plan) {
    const bool works = plan.role == comm::Role::worker;
    const int worker = works ? plan.roles.index_of(session.world().rank()) : 0;
    return {plan.problem.points,
            session.options().seed,
            works ? plan.problem.input_order(plan.roles.workers(), worker) : IndexOrder{},
            works ? IndexOrder{} : plan.problem.output_order(1, 0),
            session.threads(),
            session.world()};
}

DataflowCase::DataflowCase(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      transport_(session.transport(plan.transport)),
      guard_(session.threads()),
      check_(check_of(session, plan)) {
    if (plan.data.in_files()) {
        prepared_tiles(session, plan.problem, plan.data);
    }
    if (plan.role == comm::Role::worker) {
        role_ = std::make_unique<DataflowWorker>(session, plan);
    } else {
        role_ = std::make_unique<DataflowReducer>(session, plan);
    }
    if (session.options().verify == bench::Switch::on) {
        guard_.remember(role_->kept_input());
        check_.expect([this](const UsePiece& use) { role_->read_input(use); });
    }
    hub_ = std::make_unique<flow::Hub>(session_.world(), &session_.trace().track("queue"));
    queue_ = std::make_unique<flow::Queue>(*hub_, transport_, plan_.queue);
}

void DataflowCase::prepare_limit() {
    role_->prepare_limit(*queue_);
    if (plan_.probes_link) {
        link_.emplace(session_.message_transport(), session_.world(), plan_.roles.worker_rank(0),
                      plan_.roles.reducer_rank(0), bytes_of<double>(plan_.tile.parts_size()));
    }
}

// All ranks at the same time, as in a run. Whatever comes first, a copy at the merger ends the run,
// and so is a part of each component.
std::vector<bench::LimitComponent> DataflowCase::limit() {
    constexpr int messages = 4;
    const comm::Communicator& world = session_.world();
    const DataflowRole::Times mine = role_->measure();
    const Seconds transforms{world.maximum(mine.transforms.value)};
    const Seconds copy{world.maximum(mine.copy.value)};
    const Seconds host_link{world.maximum(mine.host_link.value)};
    std::vector<bench::LimitComponent> components{{"workers' transforms", transforms + copy},
                                                  {"merger's intake", copy + copy}};
    if (!device::has_own_memory(session_.device())) {
        components.front().extend(plan_.roles.workers(), world.size());
    }
    if (host_link > Seconds{}) {
        components.push_back({"copies between GPUs and CPUs", host_link + copy});
    }
    if (link_) {
        const Seconds mine_sent = link_->measure(messages, session_.stream());
        const Seconds message{world.maximum(mine_sent.value)};
        const auto tiles = static_cast<double>(plan_.problem.tiles);
        components.push_back({"link to the merger", tiles * message + copy});
    }
    return components;
}

}  // namespace

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles,
                           const bench::DataOptions& data) {
    // Transformed tiles in a worker's memory: one is written, the others are under way.
    constexpr int outgoing_tiles = 8;
    const int rank = session.world().rank();
    const bool works = roles.of(rank) == comm::Role::worker;
    DataflowPlan plan{
        .transport = transport,
        .problem = problem,
        .data = data,
        .roles = roles,
        .role = roles.of(rank),
        .ffts = make_fft_factory(works ? session.device() : session.reducer_device()),
        .tile = {1, problem.length(), 1, 0},
    };
    plan.queue = {.owner = roles.reducer_rank(0),
                  .pushers = roles.worker_ranks(),
                  .bound = session.options().queue,
                  .largest = bytes_of<double>(plan.tile.parts_size()),
                  .order = flow::DequeueOrder::arrival,
                  .outgoing = outgoing_tiles};
    plan.probes_link = bench::operation_memory(session, transport).payloads_travel();
    if (works) {
        plan.copies = device::has_own_memory(session.device());
        plan.tiles = problem.shape(roles.workers(), roles.index_of(rank)).my_tiles();
    }
    return plan;
}

bench::Arena memory_of(bench::Session& session, const DataflowPlan& plan) {
    const device::MemoryKind kind = session.device().memory_kind();
    bench::Arena arena;
    if (plan.role == comm::Role::worker) {
        const WorkerBuffers buffers(arena, plan);
        if (plan.data.in_files()) {
            TileLoader::staging(arena, plan.problem.length(), kind);
        }
        arena.count(plan.ffts->four_step_memory(plan.tile), bench::Room::device);
        const Bytes input = bytes_of<Point>(buffers.input.size());
        arena.count(device::HostAccess::memory(input, kind), bench::Room::host);
    } else {
        // The merger computes on the CPU, beside a GPU.
        const bool beside_gpu = kind == device::MemoryKind::device;
        const bench::Room room = beside_gpu ? bench::Room::host : bench::Room::device;
        const MergerBuffers buffers(arena, plan.problem, room);
        arena.count(plan.ffts->four_step_memory(plan.problem.shape(1, 0)), room);
    }
    if (plan.probes_link) {
        arena.count(plan.queue.largest, bench::Room::host);
    }
    arena.count(flow::queue_memory(plan.queue, bench::operation_memory(session, plan.transport),
                                   session.world().rank()));
    arena.count(TransformCheck::memory(plan.problem.points, session.threads()), bench::Room::host);
    return arena;
}

std::unique_ptr<TransformCase> make_dataflow_case(bench::Session& session,
                                                  const DataflowPlan& plan) {
    return std::make_unique<DataflowCase>(session, plan);
}

}  // namespace quartet::fft
