#include "fft/dataflow/dataflow_reducer.hpp"

#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "fft/problem/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr int batch = 16;  // tiles that the reducer takes out at a time

}  // namespace

DataflowReducer::DataflowReducer(bench::Session& session, const DataflowPlan& plan,
                                 bench::TileCheckpoint* checkpoint)
    : session_(session),
      plan_(plan),
      checkpoint_(checkpoint),
      device_(session.reducer_device()),
      stream_(session.reducer_stream()),
      merger_(make_merger(device_, plan.problem)),
      arena_(device_),
      copied_(arena_, plan) {
    if (plan.copies) {
        copying_ = device_.make_stream("copy in", device::StreamKind::transfer);
    }
    for (Place& place : places_) {
        place = {device_.make_event(), device_.make_event()};
    }
}

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
    std::int64_t merged = 0;
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            add(item);
        }
        stream_.synchronize();
        merged += std::ssize(items);
        if (checkpoint_ != nullptr) {
            static_cast<void>(
                checkpoint_->wants_stop());  // where this rank is asked, others are told
        }
    }
    clocks.record(collected, now() - begin);
    if (merged == plan_.problem.tiles) {
        merger_->finish(stream_);
        stream_.synchronize();
    }
}

void DataflowReducer::add(const flow::Item& item) {
    const auto payload = device::view_as<double>(item.payload);
    if (!plan_.copies) {
        merger_->add(item.key, payload, stream_);
        return;
    }
    const std::size_t number = added_++ % places_.size();
    Place& place = places_[number];
    const auto blocks = copied_.staged.view().part(
        static_cast<std::int64_t>(number) * payload.size(), payload.size());
    copying_->wait(*place.merged);
    device_.copy(device::as_bytes(payload), device::as_bytes(blocks), *copying_);
    copying_->record(*place.arrived);
    stream_.wait(*place.arrived);
    merger_->add(item.key, blocks, stream_);
    stream_.record(*place.merged);
}

// The copy covers as much memory as the row FFTs do: a smaller one would stay in the caches.
void DataflowReducer::prepare_limit(flow::Queue&) {
    constexpr int most_passes = 1000;
    const auto points = numbers(result());
    copy_.emplace(device_, merger_->row_input().part(0, points.size()), points);
    passes_ = copy_->passes_for(bench::probe_time, most_passes, stream_);
    if (plan_.copies) {
        copies_.emplace([this] { copy_all(); });
    }
}

DataflowRole::Times DataflowReducer::measure() {
    Times times{};
    times.copy = copy_->measure(passes_, stream_);
    if (copies_) {
        times.host_link = copies_->measure();
    }
    return times;
}

void DataflowReducer::copy_all() {
    for (std::int64_t tile = 0; tile < plan_.problem.tiles; ++tile) {
        const auto blocks = copied_.staged.view().part(0, copied_.source.view().size());
        device_.copy(device::as_bytes(copied_.source.view()), device::as_bytes(blocks), *copying_);
    }
    copying_->synchronize();
}

}  // namespace quartet::fft
