#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "comm/transport/registry/transport_registry.hpp"

namespace quartet::stream {

/// A push that leaves some of the target's elements wrong.
class SpoilingPush final : public comm::Push {
  public:
    SpoilingPush(std::unique_ptr<comm::Push> push, device::View<float> target, std::int64_t wrong)
        : push_(std::move(push)), target_(target), wrong_(wrong) {}

    void run(int count, device::Stream& stream) override {
        push_->run(count, stream);
        for (float& value :
             target_.span().first(static_cast<std::size_t>(std::min(wrong_, target_.size())))) {
            value += 1;
        }
    }

  private:
    std::unique_ptr<comm::Push> push_;
    device::View<float> target_;
    std::int64_t wrong_;
};

/// Another transport whose pushes are spoilt.
class SpoilingTransport final : public comm::Transport {
  public:
    SpoilingTransport(std::unique_ptr<comm::Transport> transport, std::int64_t wrong)
        : transport_(std::move(transport)), wrong_(wrong) {}

    static constexpr comm::TransportTraits spoiling_traits{
        .name = "spoiling", .capabilities = {comm::Capability::push}};
    [[nodiscard]] const comm::TransportTraits& traits() const override { return spoiling_traits; }
    device::Allocation allocate(Bytes size) override { return transport_->allocate(size); }
    std::unique_ptr<comm::Push> prepare_push(const comm::PushPlan& plan) override {
        return std::make_unique<SpoilingPush>(transport_->prepare_push(plan), plan.target, wrong_);
    }

  private:
    std::unique_ptr<comm::Transport> transport_;
    std::int64_t wrong_;
};

/// The transports of the suite, and "spoiling", which gets `wrong` elements wrong.
inline comm::TransportRegistry with_spoiling_transport(std::int64_t wrong) {
    auto registry = comm::TransportRegistry::standard();
    registry.add(
        {.traits = SpoilingTransport::spoiling_traits,
         .why_not = [](const comm::TransportContext&) { return std::optional<std::string>(); },
         .make =
             [wrong](const comm::TransportContext& context) {
                 return std::make_unique<SpoilingTransport>(
                     comm::TransportRegistry::standard().make("mpi", context), wrong);
             }});
    return registry;
}

}  // namespace quartet::stream
