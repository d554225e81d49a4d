#include "fft/dataflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/measure/probes.hpp"
#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "fft/problem/files.hpp"
#include "fft/problem/verify.hpp"

namespace quartet::fft {

namespace {

// Transformed tiles in a worker's memory: one is written, the others are under way.
constexpr int outgoing_tiles = 8;

/// Tiles that are staged at a time: one is copied while the next is computed on.
inline constexpr std::int64_t staged_tiles = 2;

/// A worker's.
struct WorkerBuffers {
    WorkerBuffers(bench::Arena& arena, const DataflowPlan& plan);

    device::Buffer<Point> input;       ///< its tiles
    device::Buffer<double> discarded;  ///< what its limit writes
    device::Buffer<double> staged;     ///< transformed tiles on their way to the CPU's memory
};

WorkerBuffers::WorkerBuffers(bench::Arena& arena, const DataflowPlan& plan)
    : input(arena.make<Point>(plan.tiles.size() * plan.problem.length())),
      discarded(arena.make<double>(plan.tile.parts_size())),
      staged(arena.make<double>(plan.copies ? staged_tiles * plan.tile.parts_size() : 0)) {}

// The room in which the merger's memory is counted: it computes on the CPU beside a GPU.
bench::Room merger_room(bench::Session& session) {
    return device::has_own_memory(session.device()) ? bench::Room::host : bench::Room::device;
}

/// The buffers of the merger, in the memory that its device computes on: `room` says whose that is.
struct MergerBuffers {
    MergerBuffers(bench::Arena& arena, const Problem& problem,
                  bench::Room room = bench::Room::device)
        : row_input(arena.make<double>(problem.shape(1, 0).parts_size(), room)),
          result(arena.make<Point>(problem.points, room)) {}

    device::Buffer<double> row_input;  ///< the SIMD blocks that the row FFTs transform
    device::Buffer<Point> result;
};

/// The reducer's part of the data flow: it multiplies the tiles by their twiddles as they arrive,
/// and transforms over all tiles. The result is in natural order.
class Merger {
  public:
    Merger(device::Device& device, const Problem& problem)
        : arena_(device),
          buffers_(arena_, problem),
          parts_{std::as_const(buffers_.row_input).view()},
          scatter_tile_(device.ffts().plan_scatter_tile(problem.shape(1, 0))),
          row_ffts_(device.ffts().plan_row_ffts(problem.shape(1, 0))) {}

    /// Enqueues the work for one tile; `blocks` is its transform, the SIMD blocks of
    /// FourStepFft{1, M, 1, 0}. Each tile once before each finish(), in any order.
    void add(std::int64_t tile, device::View<const double> blocks, device::Stream& stream) {
        scatter_tile_->run(tile, blocks, buffers_.row_input.view(), stream);
    }
    /// Enqueues the rest of the work.
    void finish(device::Stream& stream) { row_ffts_->run(parts_, result(), stream); }
    /// X in natural order, N points.
    [[nodiscard]] device::View<Point> result() { return buffers_.result.view(); }
    /// The input of finish(), at least 2 N doubles.
    [[nodiscard]] device::View<const double> row_input() const { return parts_.front(); }

  private:
    bench::Arena arena_;
    MergerBuffers buffers_;
    std::vector<device::View<const double>> parts_;
    std::unique_ptr<device::ScatterTile> scatter_tile_;
    std::unique_ptr<device::RowFfts> row_ffts_;
};

void count_worker(bench::Arena& arena, bench::Session& session, const DataflowPlan& plan) {
    const device::Device& device = session.device();
    const Bytes tile = bytes_of<Point>(plan.problem.length());
    const WorkerBuffers buffers(arena, plan);
    if (plan.data.in_files()) {
        TileLoader::staging(arena, plan.problem.length(), device.memory_kind());
    }
    arena.count(device.ffts().four_step_fft_memory(plan.tile), bench::Room::device);
    arena.count(device::HostAccess::memory(tile, device.memory_kind()), bench::Room::host);
}

void count_merger(bench::Arena& arena, bench::Session& session, const DataflowPlan& plan) {
    const device::Device& device = session.reducer_device();
    const Bytes all = bytes_of<Point>(plan.problem.points);
    const bench::Room room = merger_room(session);
    const MergerBuffers buffers(arena, plan.problem, room);
    arena.count(device.ffts().four_step_fft_memory(plan.problem.shape(1, 0)), room);
    arena.count(device::HostAccess::memory(all, device.memory_kind()), bench::Room::host);
}

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

/// The work of one rank in the data flow, as a worker or as the reducer. All members are local, but
/// may wait in the queue for other ranks.
class DataflowRole {
  public:
    virtual ~DataflowRole() = default;
    /// Before each run, outside of the time.
    virtual void prepare() {}
    virtual void run(flow::Queue& queue, bench::Clocks& clocks) = 0;

    /// This rank's tiles, one after another; none on the reducer. Outside of runs.
    [[nodiscard]] virtual ReadPieces input() const = 0;
    /// The input in memory, if runs leave it as it is; empty if they read files.
    [[nodiscard]] virtual device::View<const Point> input_memory() const { return {}; }
    /// X on the reducer, where it computes; empty on a worker.
    [[nodiscard]] virtual device::View<Point> result() = 0;
    /// X as the CPU sees it, outside of runs.
    [[nodiscard]] virtual ReadPieces output() = 0;

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

    void prepare() override;
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] ReadPieces input() const override;
    [[nodiscard]] device::View<const Point> input_memory() const override {
        return loader_ ? device::View<const Point>() : buffers_.input.view();
    }
    [[nodiscard]] device::View<Point> result() override { return {}; }
    [[nodiscard]] ReadPieces output() override {
        return [](const UsePiece&) {};
    }
    void prepare_limit(flow::Queue& queue) override;
    [[nodiscard]] Times measure() override;

  private:
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(plan_.tiles.size()); }
    [[nodiscard]] device::View<Point> tile(std::size_t number);
    [[nodiscard]] device::View<double> staged(std::size_t number);
    void make_tiles();
    void read_ahead(std::size_t number);
    void begin(std::size_t number, device::View<std::byte> slot);
    void transform_all();
    void copy_all();

    bench::Session& session_;
    DataflowPlan plan_;
    bench::Arena arena_;
    WorkerBuffers buffers_;               ///< the tiles in the order in which they are pushed
    std::unique_ptr<TileLoader> loader_;  ///< null if tiles are not in files
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    std::unique_ptr<device::Stream> copying_;
    /// A tile that is under way: when it has been transformed, and when it can be pushed.
    struct Step {
        std::unique_ptr<device::Event> transformed;
        std::unique_ptr<device::Event> done;
    };
    std::array<Step, staged_tiles> steps_;
    std::size_t ahead_;  ///< tiles that are begun before the one that is pushed

    flow::Queue* queue_ = nullptr;  ///< whose payloads the limit copies to
    std::optional<TimedPasses> transforms_;
    std::optional<TimedPasses> copies_;
};

// A host's streams work while they are enqueued to: there a tile is pushed before the next begins.
std::size_t tiles_ahead(const device::Device& device) {
    return device::has_own_memory(device) ? staged_tiles - 1 : 0;
}

DataflowWorker::DataflowWorker(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      arena_(session.device()),
      buffers_(arena_, plan),
      column_ffts_(session.device().ffts().plan_column_ffts(plan.tile)),
      ahead_(tiles_ahead(session.device())) {
    if (plan.copies) {
        copying_ = session.device().make_stream("copy out", device::StreamKind::transfer);
    }
    for (Step& step : steps_) {
        step = {session.device().make_event(), session.device().make_event()};
    }
    make_tiles();
}

void DataflowWorker::make_tiles() {
    if (plan_.data.in_files()) {
        loader_ = std::make_unique<TileLoader>(session_, plan_.problem, plan_.tiles, plan_.data);
        for (std::size_t number = 0; number < count(); ++number) {
            read_ahead(number);
            loader_->bring(static_cast<std::int64_t>(number), tile(number));
        }
        loader_->finish();
        session_.stream().synchronize();
        return;
    }
    const std::int64_t before = plan_.tiles.begin * plan_.problem.length();
    device::HostAccess(session_.device(), session_.stream())
        .write(buffers_.input.view(), [&](std::int64_t first, std::span<Point> points) {
            fill_tiles(points, session_.options().seed, plan_.problem, before + first);
        });
}

void DataflowWorker::prepare() {
    if (loader_) {
        loader_->prepare();
    }
}

void DataflowWorker::read_ahead(std::size_t number) {
    if (loader_ && number < count()) {
        loader_->begin(static_cast<std::int64_t>(number), static_cast<std::int64_t>(number),
                       tile(number));
    }
}

device::View<Point> DataflowWorker::tile(std::size_t number) {
    const std::int64_t length = plan_.problem.length();
    return buffers_.input.view().part(static_cast<std::int64_t>(number) * length, length);
}

ReadPieces DataflowWorker::input() const {
    return [this](const UsePiece& use) {
        device::HostAccess(session_.device(), session_.stream()).read(buffers_.input.view(), use);
    };
}

device::View<double> DataflowWorker::staged(std::size_t number) {
    const std::int64_t size = plan_.tile.parts_size();
    return buffers_.staged.view().part(static_cast<std::int64_t>(number % steps_.size()) * size,
                                       size);
}

// The tile that was staged in the same place before has been pushed.
void DataflowWorker::begin(std::size_t number, device::View<std::byte> slot) {
    Step& step = steps_[number % steps_.size()];
    device::Stream& stream = session_.stream();
    if (loader_) {
        read_ahead(number + 1);
        loader_->bring(static_cast<std::int64_t>(number), tile(number));
    }
    if (!plan_.copies) {
        column_ffts_->run(tile(number), device::view_as<double>(slot), stream);
        stream.record(*step.done);
        return;
    }
    column_ffts_->run(tile(number), staged(number), stream);
    stream.record(*step.transformed);
    copying_->wait(*step.transformed);
    session_.device().copy(device::as_bytes(staged(number)), slot, *copying_);
    copying_->record(*step.done);
}

void DataflowWorker::run(flow::Queue& queue, bench::Clocks&) {
    const Bytes size = bytes_of<double>(plan_.tile.parts_size());
    read_ahead(0);
    for (std::size_t number = 0; number < count() + ahead_; ++number) {
        if (number < count()) {
            const std::size_t begun = std::min(number, ahead_);
            begin(number, queue.next(static_cast<int>(begun)).part(0, size.value));
        }
        if (number >= ahead_) {
            steps_[(number - ahead_) % steps_.size()].done->synchronize();
            queue.push(plan_.tiles.begin + static_cast<std::int64_t>(number - ahead_), size);
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
    Times times{};
    times.transforms = transforms_->measure();
    if (copies_) {
        times.host_link = copies_->measure();
    }
    return times;
}

void DataflowWorker::transform_all() {
    for (std::size_t number = 0; number < count(); ++number) {
        column_ffts_->run(tile(number), buffers_.discarded.view(), session_.stream());
    }
    session_.stream().synchronize();
}

void DataflowWorker::copy_all() {
    const std::int64_t size = bytes_of<double>(plan_.tile.parts_size()).value;
    for (std::size_t number = 0; number < count(); ++number) {
        const int slot = static_cast<int>(number) % plan_.queue.outgoing;
        session_.device().copy(device::as_bytes(staged(number)),
                               queue_->outgoing(slot).part(0, size), *copying_);
    }
    copying_->synchronize();
}

/// Merges the tiles as they come, on the CPU.
class DataflowReducer final : public DataflowRole {
  public:
    /// The number of the clock that stops when the last tile has come.
    static constexpr std::size_t collected = 0;

    DataflowReducer(bench::Session& session, const DataflowPlan& plan);

    void prepare() override;
    void run(flow::Queue& queue, bench::Clocks& clocks) override;
    [[nodiscard]] ReadPieces input() const override;
    [[nodiscard]] device::View<Point> result() override { return merger_.result(); }
    [[nodiscard]] ReadPieces output() override;
    void prepare_limit(flow::Queue& queue) override;
    [[nodiscard]] Times measure() override;

  private:
    device::Device& device_;
    device::Stream& stream_;
    Merger merger_;
    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 1;
};

constexpr int batch = 16;  // tiles that the reducer takes out at a time

DataflowReducer::DataflowReducer(bench::Session& session, const DataflowPlan& plan)
    : device_(session.reducer_device()),
      stream_(session.reducer_stream()),
      merger_(device_, plan.problem) {}

ReadPieces DataflowReducer::input() const {
    return [](const UsePiece&) {};
}

ReadPieces DataflowReducer::output() {
    return [this](const UsePiece& use) {
        device::HostAccess(device_, stream_).read(device::View<const Point>(result()), use);
    };
}

void DataflowReducer::prepare() {
    device_.vectors().fill(0.0, numbers(result()), stream_);
}

void DataflowReducer::run(flow::Queue& queue, bench::Clocks& clocks) {
    const Seconds begin = now();
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            merger_.add(item.key, device::view_as<double>(item.payload), stream_);
        }
        stream_.synchronize();
    }
    clocks.record(collected, now() - begin);
    merger_.finish(stream_);
    stream_.synchronize();
}

// The copy covers as much memory as the row FFTs do: a smaller one would stay in the caches.
void DataflowReducer::prepare_limit(flow::Queue&) {
    constexpr int most_passes = 1000;
    const auto points = numbers(result());
    copy_.emplace(device_, merger_.row_input().part(0, points.size()), points);
    passes_ = copy_->passes_for(bench::probe_time, most_passes, stream_);
}

DataflowRole::Times DataflowReducer::measure() {
    Times times{};
    times.copy = copy_->measure(passes_, stream_);
    return times;
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
    bench::Check verify() override;
    void finish() override;
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override;
    [[nodiscard]] std::string note() const override;

    [[nodiscard]] device::View<Point> result() override { return role_->result(); }

  private:
    void make_queue();

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

IndexOrder input_order(const DataflowPlan& plan, int rank) {
    return plan.role == comm::Role::worker
               ? plan.problem.input_order(plan.roles.workers(), plan.roles.index_of(rank))
               : IndexOrder{};
}

IndexOrder output_order(const DataflowPlan& plan) {
    return plan.role == comm::Role::worker ? IndexOrder{} : plan.problem.output_order(1, 0);
}

// Before there is anything that could not be freed while an exception unwinds.
comm::Transport& usable_transport(bench::Session& session, const DataflowPlan& plan) {
    comm::Transport& transport = session.transport(plan.transport);
    return transport;
}

DataflowCase::DataflowCase(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      transport_(usable_transport(session, plan)),
      guard_(session.threads()),
      check_(plan.problem.points, session.options().seed, input_order(plan, session.world().rank()),
             output_order(plan), session.threads(), session.world()) {
    if (plan.data.in_files()) {
        prepared_tiles(session, plan.problem, plan.data);
    }
    if (plan.role == comm::Role::worker) {
        role_ = std::make_unique<DataflowWorker>(session, plan);
    } else {
        role_ = std::make_unique<DataflowReducer>(session, plan);
    }
    if (session.options().verify == bench::Switch::on) {
        guard_.remember(role_->input_memory());
        check_.expect(role_->input());
    }
    make_queue();
}

void DataflowCase::make_queue() {
    hub_ = std::make_unique<flow::Hub>(session_.world(), &session_.trace().track("queue"));
    queue_ = std::make_unique<flow::Queue>(*hub_, transport_, plan_.queue);
}

bench::Check DataflowCase::verify() {
    return guard_.judge(check_.verify(role_->output()), session_.world());
}

void DataflowCase::finish() {
    if (plan_.data.keep == bench::Switch::off) {
        return;
    }
    std::vector<Point> bins;  // all on the reducer
    role_->output()([&](std::int64_t, std::span<const Point> piece) {
        bins.insert(bins.end(), piece.begin(), piece.end());
    });
    keep_result(plan_.data, plan_.problem, bins, result_layout(plan_.problem, std::ssize(bins)),
                session_);
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
    if (session_.device().memory_kind() == device::MemoryKind::host) {
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

std::string DataflowCase::note() const {
    return fmt::format("{} tiles to one merger of {} thread{}", plan_.problem.tiles,
                       session_.threads(), session_.threads() == 1 ? "" : "s");
}

}  // namespace

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles,
                           const bench::DataOptions& data) {
    const int rank = session.world().rank();
    DataflowPlan plan{.transport = transport,
                      .problem = problem,
                      .data = data,
                      .roles = roles,
                      .role = roles.of(rank),
                      .tiles = {},
                      .tile = {1, problem.length(), 1, 0}};
    const std::int64_t tile = plan.tile.parts_size();
    plan.queue = {.owner = roles.reducer_rank(0),
                  .pushers = roles.worker_ranks(),
                  .bound = session.options().queue,
                  .largest = bytes_of<double>(tile),
                  .order = flow::DequeueOrder::arrival,
                  .outgoing = outgoing_tiles};
    plan.probes_link = bench::operation_memory(session, transport).payloads_travel();
    if (plan.role == comm::Role::worker) {
        plan.copies = device::has_own_memory(session.device());
        plan.tiles = problem.shape(roles.workers(), roles.index_of(rank)).my_tiles();
    }
    return plan;
}

bench::Arena memory_of(bench::Session& session, const DataflowPlan& plan) {
    bench::Arena arena;
    if (plan.role == comm::Role::worker) {
        count_worker(arena, session, plan);
    } else {
        count_merger(arena, session, plan);
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
