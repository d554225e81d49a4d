#include "matmul/dataflow/dataflow_product.hpp"

#include <fmt/format.h>

#include "matmul/dataflow/dataflow_reducer.hpp"
#include "matmul/dataflow/dataflow_worker.hpp"

namespace quartet::matmul {

DataflowProduct::DataflowProduct(const Problem& problem, const DataflowShape& shape,
                                 bench::Session& session, comm::Transport& transport,
                                 const ProductFiles& files)
    : problem_(problem),
      shape_(shape),
      files_(files),
      inputs_(problem, shape.operands(problem), session.topology().node(), session.device(),
              session.threads()),
      hub_(session.world(), &session.trace().track("queue")),
      order_(problem, shape.roles.reducers(), taken_over(problem, files.checkpoint)),
      dealer_(hub_, shape_.roles, shape.schedule, order_, files.checkpoint) {
    for (const flow::QueuePlan& queue : shape.queues(problem)) {
        queues_.push_back(std::make_unique<flow::Queue>(hub_, transport, queue));
    }
}

std::span<const float> DataflowProduct::input(Operand /*operand*/, TileIndex /*tile*/) {
    throw Failure("a worker of a data flow has nothing to be checked");
}

std::span<const float> DataflowProduct::result(TileIndex /*tile*/) {
    throw Failure("a tile of another rank");
}

std::string DataflowProduct::note() const {
    const std::int64_t tiles = problem_.tiles();
    std::string text =
        fmt::format("{} partial tiles shipped for {} of C", tiles * tiles * tiles, tiles * tiles);
    if (shape_.workers_on_gpu()) {
        text += fmt::format(", {} products copied ahead", shape_.lookahead);
    } else if (files_.matrices) {
        text += fmt::format(", {} products read ahead", shape_.lookahead);
    }
    return text;
}

bench::Details DataflowProduct::details(const comm::Communicator& world) const {
    const double tiles = static_cast<double>(problem_.tiles());
    const double bytes = static_cast<double>(problem_.matrix_bytes().value);
    bench::Details details{.numbers = {{"bytes_shipped", tiles * bytes},
                                       {"partial_tiles", tiles * tiles * tiles},
                                       {"result_tiles", tiles * tiles},
                                       {"reducers", shape_.roles.reducers()}},
                           .series = {}};
    const auto add_sum = [&](const char* key, Bytes moved) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(moved.value)));
    };
    if (files_.matrices) {
        add_sum("bytes_read", traffic().read);
        add_sum("bytes_written", traffic().written);
    }
    if (shape_.workers_on_gpu()) {
        add_sum("bytes_copied_in", copied().read);
        add_sum("bytes_copied_out", copied().written);
    }
    if (files_.matrices || shape_.workers_on_gpu()) {
        details.numbers.emplace_back("lookahead", shape_.lookahead);
    }
    return details;
}

void count_dataflow(bench::Arena& arena, const Problem& problem, const DataflowShape& shape) {
    shape.operands(problem).count(arena);
    if (shape.works()) {
        const DataflowWorker::Buffers counted(arena, problem, shape);
    } else {
        const DataflowReducer::Buffers counted(arena, problem, shape);
    }
    for (const flow::QueuePlan& queue : shape.queues(problem)) {
        arena.count(flow::queue_memory(queue, shape.transport, shape.rank));
    }
}

std::unique_ptr<DataflowProduct> make_dataflow_product(const Problem& problem,
                                                       const DataflowShape& shape,
                                                       bench::Session& session,
                                                       comm::Transport& transport,
                                                       const ProductFiles& files) {
    if (shape.works()) {
        return std::make_unique<DataflowWorker>(problem, shape, session, transport, files);
    }
    return std::make_unique<DataflowReducer>(problem, shape, session, transport, files);
}

}  // namespace quartet::matmul
