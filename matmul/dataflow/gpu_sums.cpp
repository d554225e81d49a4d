#include "matmul/dataflow/gpu_sums.hpp"

#include <algorithm>
#include <utility>

#include "device/vector_operations.hpp"

namespace quartet::matmul {

std::int64_t GpuSums::tiles(const DataflowShape& shape) {
    constexpr std::int64_t terms = 2;
    const auto sums = static_cast<std::int64_t>(sums_held);
    return !shape.reducers_on_gpu() ? 0 : sums + (shape.through_host() ? terms : 0);
}

GpuSums::GpuSums(const Problem& problem, device::Device& device, device::Buffer<float> memory)
    : device_(device),
      memory_(std::move(memory)),
      terms_(static_cast<std::size_t>(memory_.size() / problem.elements({})) - sums_held),
      in_(device.make_stream("copy in", device::StreamKind::transfer)),
      out_(device.make_stream("copy out", device::StreamKind::transfer)) {
    const std::int64_t elements = problem.elements({});
    std::int64_t begin = 0;
    const auto make = [&](Slot& slot) {
        slot = {memory_.view().part(begin, elements), device.make_event(), device.make_event()};
        begin += elements;
    };
    std::ranges::for_each(sums_, make);
    std::ranges::for_each(terms_, make);
}

void GpuSums::add(const SumTerm& term, device::Stream& stream) {
    if (term.first) {
        ++begun_;
        begin_sum(term, stream);
    } else {
        add_to_sum(term, stream);
    }
    if (term.last) {
        copy_out(term, stream);
    }
}

void GpuSums::begin_sum(const SumTerm& term, device::Stream& stream) {
    if (copies_terms()) {
        copy_in(term.partial, sum(), stream);
        return;
    }
    stream.wait(*sum().used);
    device_.copy(as_bytes(term.partial), as_bytes(sum().memory.part(0, term.partial.size())),
                 stream);
}

void GpuSums::add_to_sum(const SumTerm& term, device::Stream& stream) {
    const std::int64_t size = term.partial.size();
    const auto target = sum().memory.part(0, size);
    if (!copies_terms()) {
        device_.vectors().add(term.partial, target, stream);
        return;
    }
    Slot& slot = terms_[static_cast<std::size_t>(terms_copied_++ % std::ssize(terms_))];
    copy_in(term.partial, slot, stream);
    device_.vectors().add(slot.memory.part(0, size), target, stream);
    stream.record(*slot.used);
}

void GpuSums::copy_in(device::View<const float> from, Slot& slot, device::Stream& stream) {
    in_->wait(*slot.used);
    device_.copy(as_bytes(from), as_bytes(slot.memory.part(0, from.size())), *in_);
    in_->record(*slot.filled);
    stream.wait(*slot.filled);
    copied_.read = copied_.read + from.bytes();
}

void GpuSums::copy_out(const SumTerm& term, device::Stream& stream) {
    Slot& slot = sum();
    stream.record(*slot.filled);
    out_->wait(*slot.filled);
    device_.copy(as_bytes(device::View<const float>(slot.memory.part(0, term.result.size()))),
                 as_bytes(term.result), *out_);
    out_->record(*slot.used);
    copied_.written = copied_.written + term.result.bytes();
}

// A queue may overwrite a partial tile once it is copied in, before it is added.
void GpuSums::release_terms(device::Stream& stream) {
    if (copies_terms()) {
        in_->synchronize();
    } else {
        stream.synchronize();
    }
}

void GpuSums::finish(device::Stream& stream) {
    in_->synchronize();
    stream.synchronize();
    out_->synchronize();
}

}  // namespace quartet::matmul
