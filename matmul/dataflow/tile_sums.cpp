#include "matmul/dataflow/tile_sums.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "device/vector_operations.hpp"

namespace quartet::matmul {

namespace {

class SumsOnHost final : public TileSums {
  public:
    explicit SumsOnHost(device::Device& device) : device_(device) {}

    void add(const SumTerm& term, device::Stream& stream) override {
        if (term.first) {
            device_.copy(as_bytes(term.partial), as_bytes(term.result), stream);
        } else {
            device_.vectors().add(term.partial, term.result, stream);
        }
    }
    void release_terms(device::Stream& stream) override { stream.synchronize(); }
    device::Stream& completing(device::Stream& stream) override { return stream; }
    void finish(device::Stream& stream) override { stream.synchronize(); }

  private:
    device::Device& device_;
};

constexpr std::size_t sums_held = 2;  // one is added to, the one before is copied out

class SumsOnGpu final : public TileSums {
  public:
    SumsOnGpu(const Problem& problem, device::Device& device, device::Buffer<float> memory);

    void restart() override;
    void add(const SumTerm& term, device::Stream& stream) override;
    void release_terms(device::Stream& stream) override;
    device::Stream& completing(device::Stream& /*stream*/) override { return *out_; }
    void finish(device::Stream& stream) override;
    [[nodiscard]] Bytes copied_in() const override { return copied_in_; }
    [[nodiscard]] Bytes copied_out() const override { return copied_out_; }

  private:
    /// A tile of the GPU's memory, and when it may be written to again.
    struct Slot {
        device::View<float> memory;
        std::unique_ptr<device::Event> filled;
        std::unique_ptr<device::Event> used;
    };

    [[nodiscard]] bool copies_terms() const { return !terms_.empty(); }
    void begin_sum(const SumTerm& term, device::Stream& stream);
    void add_to_sum(const SumTerm& term, device::Stream& stream);
    void copy_in(device::View<const float> from, Slot& slot, device::Stream& stream);
    void copy_out(const SumTerm& term, device::Stream& stream);
    [[nodiscard]] Slot& sum() { return sums_.at(static_cast<std::size_t>(begun_) % sums_held); }

    device::Device& device_;
    device::Buffer<float> memory_;
    std::array<Slot, sums_held> sums_;
    std::vector<Slot> terms_;  ///< for partial tiles that lie on the host
    std::int64_t begun_ = 0;   ///< sums
    std::int64_t copied_ = 0;  ///< partial tiles
    Bytes copied_in_;
    Bytes copied_out_;
    std::unique_ptr<device::Stream> in_;
    std::unique_ptr<device::Stream> out_;
};

SumsOnGpu::SumsOnGpu(const Problem& problem, device::Device& device, device::Buffer<float> memory)
    : device_(device),
      memory_(std::move(memory)),
      in_(device.make_stream("copy in", device::StreamKind::transfer)),
      out_(device.make_stream("copy out", device::StreamKind::transfer)) {
    const std::int64_t elements = problem.elements({});
    terms_.resize(static_cast<std::size_t>(memory_.size() / elements) - sums_held);
    std::int64_t begin = 0;
    const auto make = [&](Slot& slot) {
        slot = {memory_.view().part(begin, elements), device.make_event(), device.make_event()};
        begin += elements;
    };
    std::ranges::for_each(sums_, make);
    std::ranges::for_each(terms_, make);
}

void SumsOnGpu::restart() {
    begun_ = 0;
    copied_ = 0;
    copied_in_ = {};
    copied_out_ = {};
}

void SumsOnGpu::add(const SumTerm& term, device::Stream& stream) {
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

void SumsOnGpu::begin_sum(const SumTerm& term, device::Stream& stream) {
    if (copies_terms()) {
        copy_in(term.partial, sum(), stream);
        return;
    }
    stream.wait(*sum().used);
    device_.copy(as_bytes(term.partial), as_bytes(sum().memory.part(0, term.partial.size())),
                 stream);
}

void SumsOnGpu::add_to_sum(const SumTerm& term, device::Stream& stream) {
    const std::int64_t size = term.partial.size();
    const auto target = sum().memory.part(0, size);
    if (!copies_terms()) {
        device_.vectors().add(term.partial, target, stream);
        return;
    }
    Slot& slot = terms_[static_cast<std::size_t>(copied_++ % std::ssize(terms_))];
    copy_in(term.partial, slot, stream);
    device_.vectors().add(slot.memory.part(0, size), target, stream);
    stream.record(*slot.used);
}

void SumsOnGpu::copy_in(device::View<const float> from, Slot& slot, device::Stream& stream) {
    in_->wait(*slot.used);
    device_.copy(as_bytes(from), as_bytes(slot.memory.part(0, from.size())), *in_);
    in_->record(*slot.filled);
    stream.wait(*slot.filled);
    copied_in_ = copied_in_ + from.bytes();
}

void SumsOnGpu::copy_out(const SumTerm& term, device::Stream& stream) {
    Slot& slot = sum();
    stream.record(*slot.filled);
    out_->wait(*slot.filled);
    device_.copy(as_bytes(device::View<const float>(slot.memory.part(0, term.result.size()))),
                 as_bytes(term.result), *out_);
    out_->record(*slot.used);
    copied_out_ = copied_out_ + term.result.bytes();
}

// What was copied in may be overwritten before it is added.
void SumsOnGpu::release_terms(device::Stream& stream) {
    if (copies_terms()) {
        in_->synchronize();
    } else {
        stream.synchronize();
    }
}

void SumsOnGpu::finish(device::Stream& stream) {
    in_->synchronize();
    stream.synchronize();
    out_->synchronize();
}

}  // namespace

std::int64_t tiles_of_sums(const DataflowPlaces& places) {
    constexpr std::int64_t terms = 2;
    const auto sums = static_cast<std::int64_t>(sums_held);
    return !places.reducers_on_gpu() ? 0 : sums + (places.through_host() ? terms : 0);
}

std::unique_ptr<TileSums> make_tile_sums(const Problem& problem, device::Device& device,
                                         device::Buffer<float> memory) {
    if (memory.size() > 0) {
        return std::make_unique<SumsOnGpu>(problem, device, std::move(memory));
    }
    return std::make_unique<SumsOnHost>(device);
}

}  // namespace quartet::matmul
