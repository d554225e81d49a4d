#include "fft/dataflow/dataflow_reducer.hpp"

#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "fft/problem/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr int batch = 16;  // tiles that the reducer takes out at a time

}  // namespace

DataflowReducer::DataflowReducer(bench::Session& session, const DataflowPlan& plan)
    : device_(session.reducer_device()),
      stream_(session.reducer_stream()),
      merger_(make_merger(device_, plan.problem)) {}

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
            merger_->add(item.key, device::view_as<double>(item.payload), stream_);
        }
        stream_.synchronize();
    }
    clocks.record(collected, now() - begin);
    merger_->finish(stream_);
    stream_.synchronize();
}

// The copy covers as much memory as the row FFTs do: a smaller one would stay in the caches.
void DataflowReducer::prepare_limit(flow::Queue&) {
    constexpr int most_passes = 1000;
    const auto points = numbers(result());
    copy_.emplace(device_, merger_->row_input().part(0, points.size()), points);
    passes_ = copy_->passes_for(bench::probe_time, most_passes, stream_);
}

DataflowRole::Times DataflowReducer::measure() {
    Times times{};
    times.copy = copy_->measure(passes_, stream_);
    return times;
}

}  // namespace quartet::fft
