#include "matmul/dataflow/dataflow_product.hpp"

#include <fmt/format.h>

#include <utility>

namespace quartet::matmul {

void DataflowProduct::count(bench::Arena& arena, const Problem& problem,
                            const DataflowLayout& layout, const DataflowRanks& ranks) {
    layout.operands.count(arena);
    if (ranks.works()) {
        const DataflowWorker::Buffers counted(arena, problem, layout);
    } else {
        const DataflowReducer::Buffers counted(arena, problem, layout);
    }
    for (const flow::QueuePlan& queue : layout.queues) {
        arena.count(flow::queue_memory(queue, ranks.transport, ranks.rank));
    }
}

DataflowProduct::DataflowProduct(const Problem& problem, DataflowLayout layout,
                                 bench::Session& session, comm::Transport& transport,
                                 ProductFiles files)
    : problem_(problem),
      layout_(std::move(layout)),
      inputs_(problem, layout_.operands, session.topology().node(), session.device(),
              session.threads()),
      hub_(session.world(), &session.trace().track("queue")),
      files_(std::move(files)),
      order_(problem, layout_.roles.reducers(), taken_over(problem, files_.checkpoint)),
      dealer_(hub_, layout_.roles, layout_.settings.schedule, order_, files_.checkpoint) {
    for (const flow::QueuePlan& queue : layout_.queues) {
        queues_.push_back(std::make_unique<flow::Queue>(hub_, transport, queue));
    }
    const int rank = session.world().rank();
    if (layout_.roles.of(rank) == comm::Role::worker) {
        worker_ = std::make_unique<DataflowWorker>(problem_, layout_, inputs_, files_,
                                                   session.device(), order_, dealer_, queues_);
    } else {
        reducer_ = std::make_unique<DataflowReducer>(problem_, layout_, session, order_, files_);
        mine_ = queues_[static_cast<std::size_t>(layout_.roles.index_of(rank))].get();
    }
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

std::span<const float> DataflowProduct::result(TileIndex tile) {
    check(owns(tile), "a tile of another rank");
    return reducer_->result(tile);
}

std::string DataflowProduct::note() const {
    const std::int64_t tiles = problem_.tiles();
    std::string text =
        fmt::format("{} partial tiles shipped for {} of C", tiles * tiles * tiles, tiles * tiles);
    if (layout_.places.workers_on_gpu()) {
        text += fmt::format(", {} products copied ahead", layout_.settings.lookahead);
    } else if (files_.matrices) {
        text += fmt::format(", {} products read ahead", layout_.settings.lookahead);
    }
    return text;
}

bench::Details DataflowProduct::details(const comm::Communicator& world) const {
    const double tiles = static_cast<double>(problem_.tiles());
    const double bytes = static_cast<double>(problem_.matrix_bytes().value);
    bench::Details details{.numbers = {{"bytes_shipped", tiles * bytes},
                                       {"partial_tiles", tiles * tiles * tiles},
                                       {"result_tiles", tiles * tiles},
                                       {"reducers", layout_.roles.reducers()}},
                           .series = {}};
    const auto add_sum = [&](const char* key, Bytes moved) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(moved.value)));
    };
    if (files_.matrices) {
        add_sum("bytes_read", traffic().read);
        add_sum("bytes_written", traffic().written);
    }
    if (layout_.places.workers_on_gpu()) {
        add_sum("bytes_copied_in", copied().read);
        add_sum("bytes_copied_out", copied().written);
    }
    if (files_.matrices || layout_.places.workers_on_gpu()) {
        details.numbers.emplace_back("lookahead", layout_.settings.lookahead);
    }
    return details;
}

}  // namespace quartet::matmul
