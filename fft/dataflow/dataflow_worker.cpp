#include "fft/dataflow/dataflow_worker.hpp"

#include <algorithm>

#include "device/fft_factory.hpp"
#include "device/host_access.hpp"

namespace quartet::fft {

namespace {

// A host's streams work while they are enqueued to: there a tile is pushed before the next begins.
std::size_t tiles_ahead(const device::Device& device) {
    return device::has_own_memory(device) ? staged_tiles - 1 : 0;
}

}  // namespace

// Tiles lie in the order in which they are pushed.
DataflowWorker::DataflowWorker(bench::Session& session, const DataflowPlan& plan)
    : session_(session),
      plan_(plan),
      arena_(session.device()),
      buffers_(arena_, plan),
      order_(merge_order(session.reducer_device(), plan.problem, plan.tiles)),
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
    return buffers_.input.view().part(static_cast<std::int64_t>(number) * length, length);
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
                .read(
                    buffers_.input.view().part(static_cast<std::int64_t>(number) * length, length),
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
    for (std::size_t number = 0; number < order_.size(); ++number) {
        column_ffts_->run(tile(number), buffers_.discarded.view(), session_.stream());
    }
    session_.stream().synchronize();
}

void DataflowWorker::copy_all() {
    const std::int64_t size = bytes_of<double>(plan_.tile.parts_size()).value;
    for (std::size_t number = 0; number < order_.size(); ++number) {
        const int slot = static_cast<int>(number) % plan_.queue.outgoing;
        session_.device().copy(device::as_bytes(staged(number)),
                               queue_->outgoing(slot).part(0, size), *copying_);
    }
    copying_->synchronize();
}

}  // namespace quartet::fft
