#include "matmul/dataflow/dataflow_reducer.hpp"

#include <utility>

#include "device/vector_operations.hpp"

namespace quartet::matmul {

namespace {

constexpr int batch = 16;  // partial tiles that a reducer dequeues at a time (VI.B)

// The element at which each of a reducer's tiles begins, and the end of the last one. They are
// every R-th tile of C.
std::vector<std::int64_t> offsets_of(const Problem& problem, const DataflowShape& shape) {
    const std::int64_t tiles = problem.tiles();
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t number = shape.roles.index_of(shape.rank); number < tiles * tiles;
         number += shape.roles.reducers()) {
        offsets.push_back(offsets.back() + problem.elements({number / tiles, number % tiles}));
    }
    return offsets;
}

}  // namespace

DataflowReducer::Buffers::Buffers(bench::Arena& arena, const Problem& problem,
                                  const DataflowShape& shape)
    : results(arena.make<float>(offsets_of(problem, shape).back(), bench::Room::host)),
      sums(arena.make<float>(GpuSums::tiles(shape) * problem.elements({}))),
      input(arena, problem, shape.in_files() ? 1 : 0) {}

DataflowReducer::DataflowReducer(const Problem& problem, const DataflowShape& shape,
                                 bench::Session& session, comm::Transport& transport,
                                 const ProductFiles& files)
    : DataflowProduct(problem, shape, session, transport, files),
      index_(shape.roles.index_of(shape.rank)),
      device_(session.reducer_device()),
      stream_(session.reducer_stream()),
      arena_(device_),
      buffers_(arena_, problem, shape),
      offsets_(offsets_of(problem, shape)) {
    if (shape.reducers_on_gpu()) {
        sums_.emplace(problem, device_, std::move(buffers_.sums));
    }
    if (files.keep == bench::Switch::on || files.checkpoint != nullptr) {
        ProductFiles results = files;
        if (files.keep == bench::Switch::off) {
            results.matrices = nullptr;
        }
        sink_.emplace(problem, Block{}, std::move(results));
        complete_ = device_.make_event();
        writing_ = device_.make_stream("write", device::StreamKind::transfer);
    }
}

void DataflowReducer::prepare() {
    DataflowProduct::prepare();
    received_ = 0;
    if (sums_) {
        sums_->restart();
    }
    if (sink_) {
        sink_->prepare();
    }
    if (files_.checkpoint != nullptr) {
        take_over();
    }
}

void DataflowReducer::take_over() {
    for_each_tile(whole(problem_), [&](TileIndex tile) {
        const std::int64_t number = problem_.number(tile);
        if (owns(tile) && files_.checkpoint->has(number)) {
            files_.checkpoint->read(number, std::as_writable_bytes(view(tile).span()));
            sink_->store(tile, view(tile), *writing_);
        }
    });
    writing_->synchronize();
}

void DataflowReducer::run(device::Stream& /*stream*/) {
    flow::Queue& queue = *queues_[static_cast<std::size_t>(index_)];
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            add(item);
        }
        sums_ ? sums_->release_terms(stream_) : stream_.synchronize();
        received_ += std::ssize(items);
        if (files_.checkpoint != nullptr) {
            static_cast<void>(files_.checkpoint->wants_stop());
        }
    }
    sums_ ? sums_->finish(stream_) : stream_.synchronize();
    if (writing_) {
        writing_->synchronize();
    }
}

void DataflowReducer::add(const flow::Item& item) {
    const std::int64_t product = order_.product(index_, item.key);
    const TileIndex tile = order_.target(product);
    const SumTerm term{device::view_as<float>(item.payload), view(tile), order_.is_first(product),
                       order_.is_last(product)};
    sums_ ? sums_->add(term, stream_) : add_on_host(term);
    if (sink_ && term.last) {
        (sums_ ? sums_->completing() : stream_).record(*complete_);
        writing_->wait(*complete_);
        sink_->store(tile, term.result, *writing_);
    }
}

void DataflowReducer::add_on_host(const SumTerm& term) {
    if (term.first) {
        device_.copy(as_bytes(term.partial), as_bytes(term.result), stream_);
    } else {
        device_.vectors().add(term.partial, term.result, stream_);
    }
}

std::span<const float> DataflowReducer::input(Operand operand, TileIndex tile) {
    if (files_.matrices) {
        return files_.matrices->read(name(operand), tile, buffers_.input.slot(0).span());
    }
    input_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, input_);
    return input_;
}

device::View<float> DataflowReducer::view(TileIndex tile) {
    check(owns(tile), "a tile of another rank");
    const std::int64_t number = problem_.number(tile) / shape_.roles.reducers();
    return buffers_.results.view().part(offsets_[static_cast<std::size_t>(number)],
                                        problem_.elements(tile));
}

}  // namespace quartet::matmul
