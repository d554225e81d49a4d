#include "matmul/dataflow/dataflow_product.hpp"

#include <fmt/format.h>

#include "matmul/dataflow/device_tiles.hpp"
#include "matmul/dataflow/file_tiles.hpp"
#include "matmul/dataflow/resident_tiles.hpp"

namespace quartet::matmul {

namespace {

std::function<bool(std::int64_t)> done_in(const bench::TileCheckpoint* checkpoint) {
    if (checkpoint == nullptr) {
        return {};
    }
    return [checkpoint](std::int64_t tile) { return checkpoint->has(tile); };
}

}  // namespace

DataflowProduct::DataflowProduct(const Problem& problem, DataflowPlan plan, bench::Session& session,
                                 comm::Transport& transport, ProductFiles files)
    : problem_(problem),
      plan_(std::move(plan)),
      operands_(problem, plan_.operands, session.topology().node(), session.device(),
                session.threads()),
      hub_(session.world(), &session.trace().track("queue")),
      files_(std::move(files)),
      order_(problem, plan_.roles.reducers(), done_in(files_.checkpoint)),
      dealer_(hub_, plan_.roles, plan_.settings.schedule, order_, files_.checkpoint) {
    for (const flow::QueuePlan& queue : plan_.queues) {
        queues_.push_back(std::make_unique<flow::Queue>(hub_, transport, queue));
    }
    const int rank = session.world().rank();
    if (plan_.roles.of(rank) == comm::Role::worker) {
        worker_ = std::make_unique<DataflowWorker>(problem_, plan_, session.device(),
                                                   make_tiles(session.device()), order_, dealer_,
                                                   queues_);
        return;
    }
    if (files_.tiles) {
        slot_.emplace(problem_, FileSlots::memory(problem_, 1), session.reducer_device(),
                      device::MemoryKind::pinned);
    }
    reducer_ = std::make_unique<DataflowReducer>(problem_, plan_, session, order_, files_);
    mine_ = queues_[static_cast<std::size_t>(plan_.roles.index_of(rank))].get();
}

std::unique_ptr<WorkerTiles> DataflowProduct::make_tiles(device::Device& device) const {
    std::unique_ptr<WorkerTiles> tiles;
    if (files_.tiles) {
        tiles = std::make_unique<FileTiles>(problem_, *files_.tiles, plan_.file_slots, device);
    } else {
        tiles = std::make_unique<ResidentTiles>(operands_);
    }
    if (plan_.places.workers_on_gpu()) {
        return std::make_unique<DeviceTiles>(problem_, std::move(tiles), plan_.device_slots,
                                             device);
    }
    return tiles;
}

void DataflowProduct::prepare() {
    dealer_.restart();
    if (worker_) {
        worker_->prepare();
    } else {
        reducer_->prepare();
    }
}

void DataflowProduct::run(device::Stream& stream) {
    if (worker_) {
        worker_->run(stream);
    } else {
        reducer_->run(*mine_);
    }
}

Traffic DataflowProduct::traffic() const {
    return {.read = worker_ ? worker_->read() : Bytes{},
            .written = reducer_ ? reducer_->written() : Bytes{}};
}

Traffic DataflowProduct::copied() const {
    if (worker_) {
        return {.read = worker_->copied_in(), .written = worker_->copied_out()};
    }
    return {.read = reducer_->sums().copied_in(), .written = reducer_->sums().copied_out()};
}

// A reducer has no input tiles: they are read or made again for the check.
std::span<const float> DataflowProduct::input(Operand operand, TileIndex tile) {
    if (files_.tiles) {
        return files_.tiles->read(name(operand), tile, slot_->slot(0).span());
    }
    input_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, input_);
    return input_;
}

std::span<const float> DataflowProduct::result(TileIndex tile) {
    check(owns(tile), "a tile of another rank");
    return reducer_->result(tile);
}

bool DataflowProduct::owns(TileIndex tile) const {
    return plan_.result_offsets[static_cast<std::size_t>(order_.number_of(tile))] >= 0;
}

std::string DataflowProduct::note() const {
    const std::int64_t tiles = problem_.tiles();
    std::string text =
        fmt::format("{} partial tiles shipped for {} of C", tiles * tiles * tiles, tiles * tiles);
    if (plan_.places.workers_on_gpu()) {
        text += fmt::format(", {} products copied ahead", plan_.settings.lookahead);
    } else if (files_.tiles) {
        text += fmt::format(", {} products read ahead", plan_.settings.lookahead);
    }
    return text;
}

bench::Details DataflowProduct::details(const comm::Communicator& world) const {
    const double tiles = static_cast<double>(problem_.tiles());
    const double bytes = static_cast<double>(problem_.matrix_bytes().value);
    bench::Details details{.numbers = {{"bytes_shipped", tiles * bytes},
                                       {"partial_tiles", tiles * tiles * tiles},
                                       {"result_tiles", tiles * tiles},
                                       {"reducers", plan_.roles.reducers()}},
                           .series = {}};
    const auto add_sum = [&](const char* key, Bytes moved) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(moved.value)));
    };
    if (files_.tiles) {
        add_sum("bytes_read", traffic().read);
        add_sum("bytes_written", traffic().written);
    }
    if (plan_.places.workers_on_gpu()) {
        add_sum("bytes_copied_in", copied().read);
        add_sum("bytes_copied_out", copied().written);
    }
    if (files_.tiles || plan_.places.workers_on_gpu()) {
        details.numbers.emplace_back("lookahead", plan_.settings.lookahead);
    }
    return details;
}

}  // namespace quartet::matmul
