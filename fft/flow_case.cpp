#include "fft/flow_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fft/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr int batch = 16;           // tiles that the merger takes out at a time
constexpr int tiles_under_way = 2;  // of a worker: one is transformed, one is read

device::SplitFft one_tile(const Problem& problem) {
    return {1, problem.length(), 1, 0};
}

IndexOrder input_of(const Problem& problem, const comm::Roles& roles, int rank) {
    return roles.of(rank) == comm::Role::worker
               ? problem.input_order(roles.workers(), roles.index_of(rank))
               : IndexOrder{};
}

IndexOrder output_of(const Problem& problem, const comm::Roles& roles, int rank) {
    return roles.of(rank) == comm::Role::worker ? IndexOrder{} : problem.output_order(1, 0);
}

}  // namespace

FlowCase::Memory FlowCase::memory(bench::Session& session, const bench::Variant& variant,
                                  const Problem& problem, const comm::Roles& roles) {
    const int rank = session.world().rank();
    const Bytes tile = bytes_of<double>(one_tile(problem).parts_size());
    const bool windows = variant.transport == "shm";
    Memory memory;
    if (roles.of(rank) == comm::Role::worker) {
        const device::SplitFft split = problem.split(roles.workers(), roles.index_of(rank));
        const Bytes copied = session.options().limits == bench::Switch::on
                                 ? bytes_of<Point>(split.input_points())
                                 : Bytes{};
        memory.all = bytes_of<Point>(split.input_points()) + copied + tiles_under_way * tile +
                     session.device().split_fft_memory(one_tile(problem));
        memory.windows = windows ? tiles_under_way * tile : Bytes{};
    } else {
        const int bound = session.options().queue;
        const int incoming = windows ? 0 : std::min(bound, tiles_under_way * roles.workers());
        const device::SplitFft whole = problem.split(1, 0);
        memory.all = bytes_of<double>(whole.parts_size()) + bytes_of<Point>(problem.points) +
                     incoming * tile + session.device().split_fft_memory(whole);
    }
    memory.all = memory.all + Bytes{TransformCheck::memory(problem.points, session.threads())};
    return memory;
}

FlowCase::FlowCase(bench::Session& session, const bench::Variant& variant, const Problem& problem,
                   const comm::Roles& roles)
    : session_(session),
      problem_(problem),
      roles_(roles),
      rank_(session.world().rank()),
      alone_(one_tile(problem)),
      whole_(problem.split(1, 0)),
      check_(problem.points, session.options().seed, input_of(problem, roles, rank_),
             output_of(problem, roles, rank_), session.threads(), session.world()) {
    comm::Transport& transport = session.transport(variant.transport);
    flow::require_queues(transport);
    device::Device& device = session.device();
    if (device.memory_kind() == device::MemoryKind::device) {
        throw Unavailable(
            "not available in this build: fft's data flow on a GPU: use --device host");
    }
    input_ = device::allocate<Point>(device, my_tiles().size() * problem.length());
    for (std::int64_t tile = my_tiles().begin; tile < my_tiles().end; ++tile) {
        const std::int64_t first = (tile - my_tiles().begin) * problem.length();
        fill_points(input_.span().subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(problem.length())),
                    session.options().seed, tile, problem.tiles);
    }
    check_.expect(input_.span());
    hub_ = std::make_unique<flow::Hub>(session.world(), &session.trace().track("queue"));
    queue_ = std::make_unique<flow::Queue>(
        *hub_, transport,
        flow::QueuePlan{.owner = roles.reducer_rank(0),
                        .pushers = roles.worker_ranks(),
                        .bound = session.options().queue,
                        .largest = bytes_of<double>(alone_.parts_size()),
                        .order = flow::Order::arrival,
                        .outgoing = tiles_under_way});
    if (works()) {
        tile_pass_ = device.plan_tile_pass(alone_);
        return;
    }
    cells_ = device::allocate<double>(device, whole_.parts_size());
    parts_ = {cells_.view()};
    result_ = device::allocate<Point>(device, problem.points);
    place_pass_ = device.plan_place_pass(whole_);
    combine_pass_ = device.plan_combine_pass(whole_);
}

bool FlowCase::works() const {
    return roles_.of(rank_) == comm::Role::worker;
}

Range FlowCase::my_tiles() const {
    return works() ? block_range(problem_.tiles, roles_.workers(), roles_.index_of(rank_))
                   : Range{};
}

void FlowCase::prepare() {
    session_.device().vectors().fill(0.0, numbers(result_.view()), stream());
}

void FlowCase::run(bench::Clocks& clocks) {
    const Seconds begin = now();
    if (works()) {
        work();
    } else {
        merge(clocks, begin);
    }
}

// A tile's transform is made where it is posted from.
void FlowCase::work() {
    const Bytes size = bytes_of<double>(alone_.parts_size());
    for (std::int64_t tile = my_tiles().begin; tile < my_tiles().end; ++tile) {
        const auto place = queue_->next();
        const device::View<double> cells{reinterpret_cast<double*>(place.data()),
                                         alone_.parts_size(), place.kind()};
        const device::View<const Point> points =
            input_.view().part((tile - my_tiles().begin) * problem_.length(), problem_.length());
        tile_pass_->run(points, cells, stream());
        stream().synchronize();
        queue_->push(tile, size);
    }
    queue_->close();
}

void FlowCase::merge(bench::Clocks& clocks, Seconds begin) {
    for (auto items = queue_->dequeue(batch); !items.empty(); items = queue_->dequeue(batch)) {
        for (const flow::Item& item : items) {
            const device::View<const double> cells{
                reinterpret_cast<const double*>(item.payload.data()), alone_.parts_size(),
                item.payload.kind()};
            place_pass_->run(item.key, cells, cells_.view(), stream());
        }
        stream().synchronize();
    }
    clocks.record(collected, now() - begin);
    combine_pass_->run(parts_, result_.view(), stream());
    stream().synchronize();
}

// Over as much memory as the passes have: smaller copies go through the caches, at other rates.
void FlowCase::prepare_limit() {
    constexpr int most_passes = 1000;
    if (works()) {
        copied_ = device::allocate<Point>(session_.device(), input_.size());
        copy_.emplace(session_.device(), numbers(device::View<const Point>(input_.view())),
                      numbers(copied_.view()));
    } else {
        const auto result = numbers(result_.view());
        copy_.emplace(session_.device(),
                      device::View<const double>(cells_.view()).part(0, result.size()), result);
    }
    passes_ = copy_->traffic().value > 0
                  ? copy_->passes_for(bench::probe_time, most_passes, stream())
                  : 0;
}

// Two passes read and write each point at the merger, one at the workers.
Seconds FlowCase::limit() {
    double rate = 0;  // of a worker without a tile
    if (passes_ > 0) {
        const Seconds pass = copy_->measure(passes_, stream());
        rate = static_cast<double>(copy_->traffic().value) / pass.value;
    }
    const comm::Communicator& world = session_.world();
    const double workers = world.sum(works() ? rate : 0);
    const double merger = world.sum(works() ? 0 : rate);
    const double traffic = 32 * static_cast<double>(problem_.points);
    return {traffic / std::min(workers, merger) + traffic / merger};
}

std::string FlowCase::limit_name() const {
    return "memory copy of workers and merger";
}

std::string FlowCase::note() const {
    // The ranks differ in what they do: the merger's passes are the same everywhere.
    return fmt::format("{} tiles to one merger of {} thread{}", problem_.tiles, session_.threads(),
                       session_.threads() == 1 ? "" : "s");
}

}  // namespace quartet::fft
