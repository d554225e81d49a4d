#include "fft/dataflow/dataflow_role.hpp"

#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "fft/numbers.hpp"

namespace quartet::fft {

namespace {

constexpr int batch = 16;  // tiles that the reducer takes out at a time

// A host's streams work while they are enqueued to: there a tile is pushed before the next begins.
std::size_t tiles_ahead(const device::Device& device) {
    return device::has_own_memory(device) ? staged_tiles - 1 : 0;
}

device::View<const std::byte> bytes_in(device::View<double> blocks) {
    return device::as_bytes(device::View<const double>(blocks));
}

int passes_of(const std::function<void()>& work) {
    work();  // the first one meets cold caches
    const Seconds begin = now();
    work();
    return bench::passes_in(bench::probe_time, now() - begin);
}

Seconds time_of(int passes, const std::function<void()>& work) {
    const Seconds begin = now();
    for (int pass = 0; pass < passes; ++pass) {
        work();
    }
    return (1.0 / passes) * (now() - begin);
}

}  // namespace

// Tiles lie in the order in which they are transformed.
DataflowWorker::DataflowWorker(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      order_(merge_order(session.reducer_device(), plan.problem, plan.tiles)),
      input_(allocate(plan.input, session.device())),
      column_ffts_(session.device().ffts().plan_column_ffts(plan.tile)),
      staged_(allocate(plan.staged, session.device())),
      ahead_(tiles_ahead(session.device())) {
    if (plan.copies()) {
        copying_ = session.device().make_stream("copy out", device::StreamKind::transfer);
    }
    for (Step& step : steps_) {
        step = {session.device().make_event(), session.device().make_event()};
    }
    make_tiles();
}

void DataflowWorker::make_tiles() {
    if (plan_.data.in_files()) {
        loader_ = std::make_unique<TileLoader>(session_, plan_.problem, plan_.tiles, plan_.data,
                                               plan_.read);
        for (std::size_t number = 0; number < order_.size(); ++number) {
            read_ahead(number);
            loader_->bring(static_cast<std::int64_t>(number), tile(number));
        }
        loader_->finish();
        session_.stream().synchronize();
        return;
    }
    const std::int64_t length = plan_.problem.length();
    for (std::size_t number = 0; number < order_.size(); ++number) {
        device::HostAccess(session_.device(), session_.stream())
            .write(tile(number), [&](std::int64_t first, std::span<Point> points) {
                fill_tiles(points, session_.options().seed, plan_.problem,
                           order_[number] * length + first);
            });
    }
}

void DataflowWorker::prepare() {
    if (loader_) {
        loader_->prepare();
    }
}

void DataflowWorker::read_ahead(std::size_t number) {
    if (loader_ && number < order_.size()) {
        loader_->begin(static_cast<std::int64_t>(number), order_[number] - plan_.tiles.begin,
                       tile(number));
    }
}

device::View<Point> DataflowWorker::tile(std::size_t number) {
    const std::int64_t length = plan_.problem.length();
    return input_.view().part(static_cast<std::int64_t>(number) * length, length);
}

ReadPieces DataflowWorker::input() const {
    std::vector<std::size_t> numbers(order_.size());
    for (std::size_t number = 0; number < order_.size(); ++number) {
        numbers[static_cast<std::size_t>(order_[number] - plan_.tiles.begin)] = number;
    }
    return [this, numbers](const UsePiece& use) {
        const std::int64_t length = plan_.problem.length();
        std::int64_t before = 0;
        for (const std::size_t number : numbers) {
            device::HostAccess(session_.device(), session_.stream())
                .read(input_.view().part(static_cast<std::int64_t>(number) * length, length),
                      [&](std::int64_t first, std::span<const Point> points) {
                          use(before + first, points);
                      });
            before += length;
        }
    };
}

ReadPieces DataflowWorker::output() {
    return [](const UsePiece&) {};
}

device::View<double> DataflowWorker::staged(std::size_t number) {
    const std::int64_t size = plan_.tile.parts_size();
    return staged_.view().part(static_cast<std::int64_t>(number % steps_.size()) * size, size);
}

// The tile that was staged in the same place before has been pushed.
void DataflowWorker::begin(std::size_t number, device::View<std::byte> slot) {
    Step& step = steps_[number % steps_.size()];
    device::Stream& stream = session_.stream();
    if (loader_) {
        read_ahead(number + 1);
        loader_->bring(static_cast<std::int64_t>(number), tile(number));
    }
    if (!plan_.copies()) {
        column_ffts_->run(tile(number), device::view_as<double>(slot), stream);
        stream.record(*step.done);
        return;
    }
    column_ffts_->run(tile(number), staged(number), stream);
    stream.record(*step.transformed);
    copying_->wait(*step.transformed);
    session_.device().copy(bytes_in(staged(number)), slot, *copying_);
    copying_->record(*step.done);
}

void DataflowWorker::run(flow::Queue& queue, bench::Clocks&) {
    const Bytes size = bytes_of<double>(plan_.tile.parts_size());
    read_ahead(0);
    for (std::size_t number = 0; number < order_.size() + ahead_; ++number) {
        if (number < order_.size()) {
            const std::size_t begun = std::min(number, ahead_);
            begin(number, queue.next(static_cast<int>(begun)).part(0, size.value));
        }
        if (number >= ahead_) {
            steps_[(number - ahead_) % steps_.size()].done->synchronize();
            queue.push(order_[number - ahead_], size);
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
    discarded_ = allocate(plan_.discarded, session_.device());
    passes_ = passes_of([this] { transform_all(); });
    copy_passes_ = plan_.copies() ? passes_of([this] { copy_all(); }) : 0;
}

DataflowRole::Times DataflowWorker::measure() {
    Times times{};
    times.transforms = time_of(passes_, [this] { transform_all(); });
    if (plan_.copies()) {
        times.host_link = time_of(copy_passes_, [this] { copy_all(); });
    }
    return times;
}

void DataflowWorker::transform_all() {
    for (std::size_t number = 0; number < order_.size(); ++number) {
        column_ffts_->run(tile(number), discarded_.view(), session_.stream());
    }
    session_.stream().synchronize();
}

void DataflowWorker::copy_all() {
    const std::int64_t size = bytes_of<double>(plan_.tile.parts_size()).value;
    for (std::size_t number = 0; number < order_.size(); ++number) {
        const int slot = static_cast<int>(number) % plan_.queue.outgoing;
        session_.device().copy(bytes_in(staged(number)), queue_->outgoing(slot).part(0, size),
                               *copying_);
    }
    copying_->synchronize();
}

DataflowReducer::DataflowReducer(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      device_(session.reducer_device()),
      stream_(session.reducer_stream()),
      merger_(make_merger(device_, plan.problem)),
      staged_(allocate(plan.staged, device_)) {
    if (plan.copies()) {
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
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            add(item);
        }
        stream_.synchronize();
    }
    clocks.record(collected, now() - begin);
    merger_->finish(stream_);
    stream_.synchronize();
}

void DataflowReducer::add(const flow::Item& item) {
    const auto payload = device::view_as<double>(item.payload);
    if (!plan_.copies()) {
        merger_->add(item.key, payload, stream_);
        return;
    }
    const std::size_t number = added_++ % places_.size();
    Place& place = places_[number];
    const auto blocks =
        staged_.view().part(static_cast<std::int64_t>(number) * payload.size(), payload.size());
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
    if (plan_.copies()) {
        copied_ = allocate(plan_.copied, device_);
        copy_passes_ = passes_of([this] { copy_all(); });
    }
}

DataflowRole::Times DataflowReducer::measure() {
    Times times{};
    times.copy = copy_->measure(passes_, stream_);
    if (plan_.copies()) {
        times.host_link = time_of(copy_passes_, [this] { copy_all(); });
    }
    return times;
}

void DataflowReducer::copy_all() {
    for (std::int64_t tile = 0; tile < plan_.problem.tiles; ++tile) {
        const auto blocks = staged_.view().part(0, copied_.view().size());
        device_.copy(bytes_in(copied_.view()), device::as_bytes(blocks), *copying_);
    }
    copying_->synchronize();
}

std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session,
                                                 const DataflowPlan& plan) {
    if (plan.data.in_files()) {
        prepared_tiles(session, plan.problem, plan.data);
    }
    if (plan.role == comm::Role::worker) {
        return std::make_unique<DataflowWorker>(session, plan);
    }
    return std::make_unique<DataflowReducer>(session, plan);
}

}  // namespace quartet::fft
