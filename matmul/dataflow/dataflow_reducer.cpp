#include "matmul/dataflow/dataflow_reducer.hpp"

#include <utility>

namespace quartet::matmul {

namespace {

constexpr int batch = 16;  // partial tiles that a reducer dequeues at a time (VI.B)

}  // namespace

DataflowReducer::DataflowReducer(const Problem& problem, const DataflowPlan& plan,
                                 bench::Session& session, const ProductOrder& order,
                                 const ProductFiles& files)
    : problem_(problem),
      order_(order),
      index_(plan.roles.index_of(session.world().rank())),
      stream_(session.reducer_stream()),
      offsets_(plan.result_offsets),
      results_(device::allocate<float>(session.reducer_device(), floats_in(plan.results),
                                       device::MemoryKind::pinned)),
      sums_(make_tile_sums(problem, session.reducer_device(), plan.places.partials)),
      files_(plan.settings.results == Results::kept ? files.tiles.get() : nullptr),
      checkpoint_(files.checkpoint) {
    if (files_ != nullptr || checkpoint_ != nullptr) {
        complete_ = session.reducer_device().make_event();
        writing_ = session.reducer_device().make_stream("write", device::StreamKind::transfer);
    }
}

void DataflowReducer::prepare() {
    received_ = 0;
    written_ = {};
    sums_->restart();
    if (checkpoint_ != nullptr) {
        take_over();
    }
}

void DataflowReducer::take_over() {
    for (std::int64_t number = 0; number < std::ssize(offsets_); ++number) {
        const TileIndex tile = order_.tile(number);
        if (offset_of(tile) >= 0 && checkpoint_->has(number)) {
            const auto result = results_.view().part(offset_of(tile), problem_.elements(tile));
            checkpoint_->read(number, std::as_writable_bytes(result.span()));
            enqueue_write(tile, result);
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
    const auto result = results_.view().part(offset_of(tile), problem_.elements(tile));
    const bool complete = order_.is_last(product);
    sums_->add({device::view_as<float>(item.payload), result, order_.is_first(product), complete},
               stream_);
    if (writing_ && complete) {
        write(tile, result);
    }
}

void DataflowReducer::write(TileIndex tile, device::View<const float> elements) {
    sums_->completing(stream_).record(*complete_);
    writing_->wait(*complete_);
    enqueue_write(tile, elements);
    keep(checkpoint_, order_.number_of(tile), elements, *writing_);
}

void DataflowReducer::enqueue_write(TileIndex tile, device::View<const float> elements) {
    if (files_ != nullptr) {
        writing_->enqueue(Phase::copy_out, "tile", [this, tile, elements] {
            files_->write(tile, elements.span());
            written_ = written_ + elements.bytes();
        });
    }
}

std::int64_t DataflowReducer::offset_of(TileIndex tile) const {
    return offsets_[static_cast<std::size_t>(order_.number_of(tile))];
}

std::span<const float> DataflowReducer::result(TileIndex tile) const {
    return results_.view().part(offset_of(tile), problem_.elements(tile)).span();
}

}  // namespace quartet::matmul
