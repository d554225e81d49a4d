#include "fft/dataflow/dataflow_role.hpp"

#include "device/fft_factory.hpp"
#include "device/vector_operations.hpp"
#include "fft/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr int batch = 16;  // tiles that the reducer takes out at a time

}  // namespace

// Tiles lie in the order in which they are transformed.
DataflowWorker::DataflowWorker(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      order_(merge_order(session.device(), plan.problem, plan.tiles)),
      input_(allocate(plan.input, session.device())),
      column_ffts_(session.device().ffts().plan_column_ffts(plan.tile)) {
    const auto length = static_cast<std::size_t>(plan.problem.length());
    for (std::size_t number = 0; number < order_.size(); ++number) {
        fill_points(input_.span().subspan(number * length, length), session.options().seed,
                    order_[number], plan.problem.tiles);
    }
}

device::View<const Point> DataflowWorker::tile(std::size_t number) const {
    const std::int64_t length = plan_.problem.length();
    return input_.view().part(static_cast<std::int64_t>(number) * length, length);
}

ReadPieces DataflowWorker::input() const {
    std::vector<std::span<const Point>> tiles(order_.size());
    for (std::size_t number = 0; number < order_.size(); ++number) {
        tiles[static_cast<std::size_t>(order_[number] - plan_.tiles.begin)] = tile(number).span();
    }
    return [tiles, length = plan_.problem.length()](const UsePiece& use) {
        std::int64_t first = 0;
        for (const std::span<const Point> points : tiles) {
            use(first, points);
            first += length;
        }
    };
}

// Column FFTs write into the queue's own memory.
void DataflowWorker::run(flow::Queue& queue, bench::Clocks&) {
    const std::int64_t size = plan_.tile.parts_size();
    for (std::size_t number = 0; number < order_.size(); ++number) {
        const auto slot = queue.next();
        const auto blocks = device::view_as<double>(slot.part(0, bytes_of<double>(size).value));
        column_ffts_->run(tile(number), blocks, session_.stream());
        session_.stream().synchronize();
        queue.push(order_[number], bytes_of<double>(size));
    }
    queue.close();
}

void DataflowWorker::prepare_limit() {
    discarded_ = allocate(plan_.discarded, session_.device());
    transform_all();  // the first one meets cold caches
    const Seconds begin = now();
    transform_all();
    passes_ = bench::passes_in(bench::probe_time, now() - begin);
}

DataflowRole::Times DataflowWorker::measure() {
    const Seconds begin = now();
    for (int pass = 0; pass < passes_; ++pass) {
        transform_all();
    }
    return {.transforms = (1.0 / passes_) * (now() - begin), .copy = {}};
}

void DataflowWorker::transform_all() {
    for (std::size_t number = 0; number < order_.size(); ++number) {
        column_ffts_->run(tile(number), discarded_.view(), session_.stream());
    }
    session_.stream().synchronize();
}

DataflowReducer::DataflowReducer(bench::Session& session, const DataflowPlan& plan)
    : session_(session), plan_(plan), merger_(make_merger(session.device(), plan.problem)) {}

ReadPieces DataflowReducer::input() const {
    return [](const UsePiece&) {};
}

void DataflowReducer::prepare() {
    session_.device().vectors().fill(0.0, numbers(result()), session_.stream());
}

void DataflowReducer::run(flow::Queue& queue, bench::Clocks& clocks) {
    device::Stream& stream = session_.stream();
    const Seconds begin = now();
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            const auto blocks = device::view_as<double>(item.payload);
            merger_->add(item.key, blocks, stream);
        }
        stream.synchronize();
    }
    clocks.record(collected, now() - begin);
    merger_->finish(stream);
    stream.synchronize();
}

// The copy covers as much memory as the row FFTs do: a smaller one would stay in the caches.
void DataflowReducer::prepare_limit() {
    constexpr int most_passes = 1000;
    const auto points = numbers(result());
    copy_.emplace(session_.device(), merger_->row_input().part(0, points.size()), points);
    passes_ = copy_->passes_for(bench::probe_time, most_passes, session_.stream());
}

DataflowRole::Times DataflowReducer::measure() {
    return {.transforms = {}, .copy = copy_->measure(passes_, session_.stream())};
}

std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session,
                                                 const DataflowPlan& plan) {
    if (plan.role == comm::Role::worker) {
        return std::make_unique<DataflowWorker>(session, plan);
    }
    return std::make_unique<DataflowReducer>(session, plan);
}

}  // namespace quartet::fft
