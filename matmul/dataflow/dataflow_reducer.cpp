#include "matmul/dataflow/dataflow_reducer.hpp"

#include <utility>

namespace quartet::matmul {

namespace {

constexpr int batch = 16;  // partial tiles that a reducer dequeues at a time (VI.B)

}  // namespace

DataflowReducer::Buffers::Buffers(bench::Arena& arena, const Problem& problem,
                                  const DataflowLayout& layout)
    : results(arena.make<float>(layout.results, bench::Room::host)),
      sums(arena.make<float>(tiles_of_sums(layout.places) * problem.elements({}))),
      input(arena, problem, layout.settings.inputs == DataflowInputs::files ? 1 : 0) {}

DataflowReducer::DataflowReducer(const Problem& problem, const DataflowLayout& layout,
                                 bench::Session& session, const ProductOrder& order,
                                 const ProductFiles& files)
    : problem_(problem),
      order_(order),
      index_(layout.roles.index_of(session.world().rank())),
      stream_(session.reducer_stream()),
      offsets_(layout.result_offsets),
      arena_(session.reducer_device()),
      buffers_(arena_, problem, layout),
      sums_(make_tile_sums(problem, session.reducer_device(), std::move(buffers_.sums))),
      files_(files.matrices.get()),
      checkpoint_(files.checkpoint) {
    if (files.keep == bench::Switch::on || checkpoint_ != nullptr) {
        ProductFiles results = files;
        if (files.keep == bench::Switch::off) {
            results.matrices = nullptr;
        }
        sink_.emplace(problem, Block{}, std::move(results));
        complete_ = session.reducer_device().make_event();
        writing_ = session.reducer_device().make_stream("write", device::StreamKind::transfer);
    }
}

void DataflowReducer::prepare() {
    received_ = 0;
    sums_->restart();
    if (sink_) {
        sink_->prepare();
    }
    if (checkpoint_ != nullptr) {
        take_over();
    }
}

void DataflowReducer::take_over() {
    for (std::int64_t number = 0; number < std::ssize(offsets_); ++number) {
        const TileIndex tile = order_.tile(number);
        if (owns(tile) && checkpoint_->has(number)) {
            checkpoint_->read(number, std::as_writable_bytes(view(tile).span()));
            sink_->store(tile, view(tile), *writing_);
        }
    }
    writing_->synchronize();
}

void DataflowReducer::run(flow::Queue& queue) {
    for (auto items = queue.dequeue(batch); !items.empty(); items = queue.dequeue(batch)) {
        for (const flow::Item& item : items) {
            add(item);
        }
        sums_->release_terms(stream_);
        received_ += std::ssize(items);
        if (checkpoint_ != nullptr) {
            static_cast<void>(checkpoint_->wants_stop());
        }
    }
    sums_->finish(stream_);
    if (writing_) {
        writing_->synchronize();
    }
}

void DataflowReducer::add(const flow::Item& item) {
    const std::int64_t product = order_.product(index_, item.key);
    const TileIndex tile = order_.target(product);
    const bool complete = order_.is_last(product);
    sums_->add(
        {device::view_as<float>(item.payload), view(tile), order_.is_first(product), complete},
        stream_);
    if (sink_ && complete) {
        sums_->completing(stream_).record(*complete_);
        writing_->wait(*complete_);
        sink_->store(tile, view(tile), *writing_);
    }
}

std::span<const float> DataflowReducer::input(Operand operand, TileIndex tile) {
    if (files_ != nullptr) {
        return files_->read(name(operand), tile, buffers_.input.slot(0).span());
    }
    input_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, input_);
    return input_;
}

}  // namespace quartet::matmul
