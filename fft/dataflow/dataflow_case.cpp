#include "fft/dataflow/dataflow_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/fft_factory.hpp"
#include "device/vector_operations.hpp"
#include "fft/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr int batch = 16;           // tiles that the merger takes out at a time
constexpr int tiles_under_way = 8;  // of a worker: one is transformed, the others wait their turn

device::FourStepFft one_tile(const Problem& problem) {
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

DataflowCase::Memory DataflowCase::memory(bench::Session& session, const bench::Variant& variant,
                                          const Problem& problem, const comm::Roles& roles) {
    const int rank = session.world().rank();
    const Bytes tile = bytes_of<double>(one_tile(problem).parts_size());
    const bool windows = variant.transport == "shm";
    Memory memory;
    if (roles.of(rank) == comm::Role::worker) {
        const device::FourStepFft split = problem.split(roles.workers(), roles.index_of(rank));
        memory.all = bytes_of<Point>(split.input_points()) + (tiles_under_way + 1) * tile +
                     session.device().ffts().four_step_fft_memory(one_tile(problem));
        memory.windows = windows ? tiles_under_way * tile : Bytes{};
    } else {
        const int bound = session.options().queue;
        const int incoming = windows ? 0 : std::min(bound, tiles_under_way * roles.workers());
        memory.all = Merger::memory(problem) + incoming * tile +
                     session.device().ffts().four_step_fft_memory(problem.split(1, 0));
    }
    memory.all = memory.all + Bytes{TransformCheck::memory(problem.points, session.threads())};
    return memory;
}

DataflowCase::DataflowCase(bench::Session& session, const bench::Variant& variant,
                           const Problem& problem, const comm::Roles& roles)
    : session_(session),
      problem_(problem),
      roles_(roles),
      rank_(session.world().rank()),
      transport_(session.transport(variant.transport)),
      alone_(one_tile(problem)),
      check_(problem.points, session.options().seed, input_of(problem, roles, rank_),
             output_of(problem, roles, rank_), session.threads(), session.world()) {
    flow::require_queues(transport_);
    device::Device& device = session.device();
    if (device.memory_kind() == device::MemoryKind::device) {
        throw Unavailable(
            "not available in this build: fft's data flow on a GPU: use --device host");
    }
    order_ = merge_order(device, problem, my_tiles());
    make_input();
    hub_ = std::make_unique<flow::Hub>(session.world(), &session.trace().track("queue"));
    queue_ = std::make_unique<flow::Queue>(
        *hub_, transport_,
        flow::QueuePlan{.owner = roles.reducer_rank(0),
                        .pushers = roles.worker_ranks(),
                        .bound = session.options().queue,
                        .largest = bytes_of<double>(alone_.parts_size()),
                        .order = flow::Order::arrival,
                        .outgoing = tiles_under_way});
    if (works()) {
        column_ffts_ = device.ffts().plan_column_ffts(alone_);
    } else {
        merger_.emplace(device, problem);
    }
}

// Tiles lie in the order of their transforms.
void DataflowCase::make_input() {
    const auto length = static_cast<std::size_t>(problem_.length());
    input_ = device::allocate<Point>(session_.device(), my_tiles().size() * problem_.length());
    std::vector<std::span<Point>> places(order_.size());  // by tile
    for (std::size_t number = 0; number < order_.size(); ++number) {
        const std::span<Point> place = input_.span().subspan(number * length, length);
        fill_points(place, session_.options().seed, order_[number], problem_.tiles);
        places[static_cast<std::size_t>(order_[number] - my_tiles().begin)] = place;
    }
    check_.expect([&](const UsePiece& use) {
        for (std::size_t tile = 0; tile < places.size(); ++tile) {
            use(static_cast<std::int64_t>(tile * length), places[tile]);
        }
    });
}

bool DataflowCase::works() const {
    return roles_.of(rank_) == comm::Role::worker;
}

Range DataflowCase::my_tiles() const {
    return works() ? block_range(problem_.tiles, roles_.workers(), roles_.index_of(rank_))
                   : Range{};
}

void DataflowCase::prepare() {
    session_.device().vectors().fill(0.0, numbers(result()), stream());
}

bench::Check DataflowCase::verify() {
    return check_.verify(result().span());
}

void DataflowCase::run(bench::Clocks& clocks) {
    const Seconds begin = now();
    if (works()) {
        work();
    } else {
        merge(clocks, begin);
    }
}

// A tile's transform is made where it is posted from.
void DataflowCase::work() {
    const Bytes size = bytes_of<double>(alone_.parts_size());
    std::int64_t first = 0;
    for (const std::int64_t tile : order_) {
        const auto place = queue_->next();
        const device::View<double> cells{reinterpret_cast<double*>(place.data()),
                                         alone_.parts_size(), place.kind()};
        column_ffts_->run(input_.view().part(first, problem_.length()), cells, stream());
        stream().synchronize();
        first += problem_.length();
        queue_->push(tile, size);
    }
    queue_->close();
}

void DataflowCase::merge(bench::Clocks& clocks, Seconds begin) {
    for (auto items = queue_->dequeue(batch); !items.empty(); items = queue_->dequeue(batch)) {
        for (const flow::Item& item : items) {
            const device::View<const double> cells{
                reinterpret_cast<const double*>(item.payload.data()), alone_.parts_size(),
                item.payload.kind()};
            merger_->place(item.key, cells, stream());
        }
        stream().synchronize();
    }
    clocks.record(collected, now() - begin);
    merger_->finish(stream());
    stream().synchronize();
}

// The copy is over as much memory as the pass has: smaller ones go through the caches, at other
// rates.
void DataflowCase::prepare_limit() {
    if (works()) {
        discarded_ = device::allocate<double>(session_.device(), alone_.parts_size());
        transform_all();  // the first one meets cold caches
        const Seconds begin = now();
        transform_all();
        const Seconds once = now() - begin;
        passes_ = bench::passes_in(bench::probe_time, once);
    } else {
        constexpr int most_passes = 1000;
        const auto result = numbers(merger_->result());
        copy_.emplace(session_.device(), merger_->cells().part(0, result.size()), result);
        passes_ = copy_->passes_for(bench::probe_time, most_passes, stream());
    }
    if (transport_.name() != "shm") {
        link_.emplace(session_.transport("mpi"), session_.world(), roles_.worker_rank(0),
                      roles_.reducer_rank(0), bytes_of<double>(alone_.parts_size()));
    }
}

void DataflowCase::transform_all() {
    for (std::int64_t tile = 0; tile < my_tiles().size(); ++tile) {
        column_ffts_->run(input_.view().part(tile * problem_.length(), problem_.length()),
                          discarded_.view(), stream());
    }
    stream().synchronize();
}

// All ranks at the same time, as in a run.
Seconds DataflowCase::limit() {
    constexpr int messages = 4;
    const comm::Communicator& world = session_.world();
    Seconds transforms;
    Seconds copy;
    if (works()) {
        const Seconds begin = now();
        for (int pass = 0; pass < passes_; ++pass) {
            transform_all();
        }
        transforms = (1.0 / passes_) * (now() - begin);
    } else {
        copy = copy_->measure(passes_, stream());
    }
    const Seconds message = link_ ? link_->measure(messages, stream()) : Seconds{};
    const double merging = world.maximum(copy.value);
    const double coming =
        std::max(world.maximum(message.value) * static_cast<double>(problem_.tiles), merging);
    return {std::max(world.maximum(transforms.value), coming) + merging};
}

std::string DataflowCase::limit_name() const {
    return "workers' transforms or merger's intake, then a copy at the merger";
}

std::string DataflowCase::note() const {
    // The ranks differ in what they do: the merger's passes are the same everywhere.
    return fmt::format("{} tiles to one merger of {} thread{}", problem_.tiles, session_.threads(),
                       session_.threads() == 1 ? "" : "s");
}

}  // namespace quartet::fft
