#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "fft/formulations.hpp"
#include "fft/host_fft.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

namespace {

/// Tiles that are staged at a time: one is copied while the next is computed on.
constexpr std::int64_t staged_tiles = 2;

/// The time of one pass of `work`, repeated for about a probe's time. Where `passes` is 0 it is set
/// first, after two passes: one with cold caches, and one that says how many passes fill the time.
template <typename Work>
Seconds time_of_pass(int& passes, const Work& work) {
    if (passes == 0) {
        work();
        passes = 1;
        passes = bench::passes_in(bench::probe_time, time_of_pass(passes, work));
    }
    const Seconds begin = now();
    for (int pass = 0; pass < passes; ++pass) {
        work();
    }
    return (1.0 / passes) * (now() - begin);
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
///
/// This is what worker and reducer share. Their own members are local, but may wait in the queue
/// for other ranks.
class DataflowCase : public TransformCase {
  public:
    // If payloads are copied to the reducer, messages as long as a tile measure the link.
    void prepare_limit(device::Arena& arena) override {
        if (transport_.for_payloads().traits().receive == comm::Receive::copied) {
            link_.emplace(arena, session_.message_transport(), session_.world(),
                          plan_.roles.worker_rank(0), plan_.roles.reducer_rank(0),
                          queue_->plan().largest);
        }
    }
    // All ranks measure at the same time, as in a run. A copy at the merger ends each run, whatever
    // comes before, and so is a part of each component.
    std::vector<bench::LimitComponent> limit() final {
        constexpr int messages = 4;
        const comm::Communicator& world = session_.world();
        if (!has_measured_) {  // each rank finds out how often it repeats its work
            static_cast<void>(measure());
            has_measured_ = true;
            world.barrier();
        }
        const Times mine = measure();
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
    [[nodiscard]] std::string note() const final {
        return fmt::format("{} tiles to one merger of {} thread{}", plan_.problem.tiles,
                           session_.threads(), session_.threads() == 1 ? "" : "s");
    }

  protected:
    /// Collective; local while the arena plans. Throws Unavailable.
    DataflowCase(device::Arena& arena, bench::Session& session, const DataflowPlan& plan)
        : TransformCase(arena, session, plan.problem, plan.data),
          plan_(plan),
          transport_(session.transport(plan.transport)) {}

    /// To be called at the end of a constructor: nothing may fail on one rank once there is a
    /// queue, which is freed collectively. Collective; local while the arena plans.
    void make_queue(device::Arena& arena) {
        // Transformed tiles in a worker's memory: one is written, the others are under way.
        constexpr int outgoing_tiles = 8;
        dispatcher_.emplace(arena, session_.world(), &session_.trace().track("queue"));
        queue_.emplace(arena, *dispatcher_, transport_,
                       flow::QueuePlan{.owner = plan_.roles.reducer_rank(0),
                                       .pushers = plan_.roles.worker_ranks(),
                                       .bound = session_.options().queue,
                                       .largest = bytes_of<double>(plan_.tile.parts_size()),
                                       .order = flow::DequeueOrder::arrival,
                                       .outgoing = outgoing_tiles});
    }
    [[nodiscard]] flow::Queue& queue() { return *queue_; }

    /// This rank's part of the limit. No payload is under way in the queue.
    struct Times {
        Seconds transforms;  ///< of a worker's tiles
        Seconds copy;        ///< of all points on the reducer
        Seconds host_link;   ///< of a worker's tiles from its GPU to the host's memory
    };
    [[nodiscard]] virtual Times measure() = 0;

    const DataflowPlan plan_;

  private:
    comm::Transport& transport_;
    std::optional<flow::MessageDispatcher> dispatcher_;
    std::optional<flow::Queue> queue_;
    std::optional<bench::PairProbe> link_;  ///< where tiles travel
    bool has_measured_ = false;             ///< the limit
};

/// Transforms its tiles and pushes each to the reducer: column FFTs write the tile's SIMD blocks,
/// whose layout is the same on all devices, into the queue's own memory. Where that is the host's
/// and tiles are on a GPU, each is copied there while the next is transformed. Tiles in files are
/// read anew in each run, one ahead.
class DataflowWorker final : public DataflowCase {
  public:
    DataflowWorker(device::Arena& arena, bench::Session& session, const DataflowPlan& plan)
        : DataflowCase(arena, session, plan),
          copies_to_host_(device::has_own_memory(session.device())),
          input_(arena.make<Point>(plan.tiles.size() * plan.problem.length())),
          staged_(arena.make<double>(copies_to_host_ ? staged_tiles * plan.tile.parts_size() : 0)),
          tiles_(arena, session, plan.problem, plan.tiles, plan.data),
          column_ffts_(plan.ffts->column_ffts(arena, plan.tile)) {
        if (copies_to_host_) {
            copying_ = session.device().make_stream("copy out", device::StreamKind::transfer);
        }
        for (Step& step : steps_) {
            step = {session.device().make_event(), session.device().make_event()};
        }
        arena.reserve(
            device::HostAccess::memory(input_.view().bytes(), session.device().memory_kind()));
        make_queue(arena);
    }

    void set_up() override {
        tiles_.load(input_.view());
        const int worker = plan_.roles.index_of(session_.world().rank());
        expect(plan_.problem.input_order(plan_.roles.workers(), worker), {}, input_.view(),
               data_.in_files() ? KeepsInput::no : KeepsInput::yes);
    }
    void prepare() override { tiles_.prepare(); }
    // A host's stream works while work is enqueued: there a tile is pushed before the next one
    // begins.
    void run() override {
        const Bytes size = bytes_of<double>(plan_.tile.parts_size());
        const std::int64_t ahead = device::has_own_memory(session_.device()) ? staged_tiles - 1 : 0;
        read_ahead(0);
        for (std::int64_t number = 0; number < plan_.tiles.size() + ahead; ++number) {
            if (number < plan_.tiles.size()) {
                const auto begun = static_cast<int>(std::min(number, ahead));
                begin(number, queue().next(begun).part(0, size.value));
            }
            if (number >= ahead) {
                step(number - ahead).done->synchronize();
                queue().push(plan_.tiles.begin + number - ahead, size);
            }
        }
        session_.stream().synchronize();
        tiles_.finish();
        queue().close();
    }
    void prepare_limit(device::Arena& arena) override {
        discarded_ = arena.make<double>(plan_.tile.parts_size());
        DataflowCase::prepare_limit(arena);
    }
    [[nodiscard]] device::View<Point> result() override { return {}; }

  private:
    [[nodiscard]] Times measure() override {
        Times times;
        times.transforms = time_of_pass(transform_passes_, [this] {
            for (std::int64_t number = 0; number < plan_.tiles.size(); ++number) {
                column_ffts_->run(tile(number), discarded_.view(), session_.stream());
            }
            session_.stream().synchronize();
        });
        if (!copies_to_host_) {
            return times;
        }
        times.host_link = time_of_pass(copy_passes_, [this] {
            for (std::int64_t number = 0; number < plan_.tiles.size(); ++number) {
                const auto slot = static_cast<int>(number % queue().plan().outgoing);
                const auto from = device::as_bytes(staged(number));
                session_.device().copy(from, queue().outgoing(slot).part(0, from.size()),
                                       *copying_);
            }
            copying_->synchronize();
        });
        return times;
    }
    device::View<Point> tile(std::int64_t number) {
        const std::int64_t length = plan_.problem.length();
        return input_.view().part(number * length, length);
    }
    device::View<double> staged(std::int64_t number) {
        const std::int64_t size = plan_.tile.parts_size();
        return staged_.view().part(number % staged_tiles * size, size);
    }
    void read_ahead(std::int64_t number) {
        if (number < plan_.tiles.size()) {
            tiles_.begin(number, tile(number));
        }
    }
    // The tile that was staged in the same place before must have been pushed.
    void begin(std::int64_t number, device::View<std::byte> slot) {
        device::Stream& stream = session_.stream();
        read_ahead(number + 1);
        tiles_.bring(number, tile(number));
        if (!copies_to_host_) {
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

    bool copies_to_host_;            ///< whether each tile is copied from the GPU
    device::Buffer<Point> input_;    ///< its tiles, in the order in which they are pushed
    device::Buffer<double> staged_;  ///< transformed tiles on their way to the CPU's memory
    TileLoader tiles_;
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

    device::Buffer<double> discarded_;  ///< what the limit writes
    int transform_passes_ = 0;          ///< that fill a probe's time; 0 before the first
    int copy_passes_ = 0;
};

/// Multiplies the tiles by their twiddles as they come, and transforms over all tiles, on the CPU.
class DataflowReducer final : public DataflowCase {
  public:
    DataflowReducer(device::Arena& arena, bench::Session& session, const DataflowPlan& plan)
        : DataflowCase(arena, session, plan),
          device_(session.reducer_device()),
          stream_(session.reducer_stream()),
          row_input_(
              arena.make<double>(plan.problem.shape(1, 0).parts_size(), device_.memory_kind())),
          result_(arena.make<Point>(plan.problem.points, device_.memory_kind())),
          parts_{std::as_const(row_input_).view()},
          scatter_(arena, plan.problem.shape(1, 0), host_fft_settings(device_)),
          row_ffts_(plan.ffts->row_ffts(arena, plan.problem.shape(1, 0))) {
        make_queue(arena);
    }

    void set_up() override { expect({}, plan_.problem.output_order(1, 0), {}, KeepsInput::yes); }
    void prepare() override { device_.vectors().fill(0.0, as_real(result()), stream_); }
    void run() override {
        constexpr int batch = 16;  // tiles that are taken out at a time
        const Seconds begin = now();
        for (auto items = queue().dequeue(batch); !items.empty(); items = queue().dequeue(batch)) {
            for (const flow::Item& item : items) {
                scatter_.run(item.key, device::view_as<double>(item.payload), row_input_.view(),
                             stream_);
            }
            stream_.synchronize();
        }
        collecting_ = now() - begin;
        row_ffts_->run(parts_, result(), stream_);
        stream_.synchronize();
    }
    [[nodiscard]] Seconds paper_time() const override { return collecting_; }
    /// X in the memory where the CPU computes.
    [[nodiscard]] device::View<Point> result() override { return result_.view(); }
    // The copy covers as much memory as the row FFTs do: a smaller one would stay in the caches.
    void prepare_limit(device::Arena& arena) override {
        const auto points = as_real(result());
        copy_.emplace(device_, parts_.front().part(0, points.size()), points);
        DataflowCase::prepare_limit(arena);
    }

  private:
    [[nodiscard]] Times measure() override {
        constexpr int most_passes = 1000;
        if (passes_ == 0) {
            passes_ = copy_->passes_for(bench::probe_time, most_passes, stream_);
        }
        return {.transforms = {}, .copy = copy_->measure(passes_, stream_), .host_link = {}};
    }

    device::Device& device_;
    device::Stream& stream_;
    device::Buffer<double> row_input_;  ///< the SIMD blocks that the row FFTs transform
    device::Buffer<Point> result_;      ///< X in natural order
    std::vector<device::View<const double>> parts_;  ///< row_input_, as the row FFTs take it
    TileScatter scatter_;
    std::unique_ptr<RowFfts> row_ffts_;
    Seconds collecting_;  ///< until the last tile had come
    std::optional<bench::MemoryProbe> copy_;
    int passes_ = 0;  ///< 0 before the first measurement
};

}  // namespace

DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const bench::DataOptions& data) {
    const int rank = session.world().rank();
    const auto roles = comm::Roles::with_reducers(session.world().size(), 1);
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
    if (works) {
        plan.tiles = problem.shape(roles.workers(), roles.index_of(rank)).my_tiles();
    }
    return plan;
}

std::unique_ptr<TransformCase> make_dataflow_case(device::Arena& arena, bench::Session& session,
                                                  const DataflowPlan& plan) {
    if (plan.role == comm::Role::worker) {
        return std::make_unique<DataflowWorker>(arena, session, plan);
    }
    return std::make_unique<DataflowReducer>(arena, session, plan);
}

}  // namespace quartet::fft
