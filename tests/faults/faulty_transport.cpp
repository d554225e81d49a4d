#include "tests/faults/faulty_transport.hpp"

#include <utility>

#include "tests/faults/fault.hpp"

namespace quartet::faults {

namespace {

class FaultyPush final : public comm::Push {
  public:
    FaultyPush(std::unique_ptr<comm::Push> sound, device::View<float> target)
        : sound_(std::move(sound)), target_(target) {}

    void run(int count, device::Stream& stream) override {
        sound_->run(count, stream);
        pass_later("push", target_, stream);
        stream.synchronize();
    }

  private:
    std::unique_ptr<comm::Push> sound_;
    device::View<float> target_;
};

class FaultyCollective final : public comm::Collective {
  public:
    FaultyCollective(const char* site, std::unique_ptr<comm::Collective> sound,
                     device::View<const std::byte> brought)
        : site_(site), sound_(std::move(sound)), brought_(brought) {}

    void run(device::Stream& stream) override {
        sound_->run(stream);
        pass_later(site_, brought_, stream);
    }

  private:
    const char* site_;
    std::unique_ptr<comm::Collective> sound_;
    device::View<const std::byte> brought_;
};

class FaultyExchange final : public comm::Exchange {
  public:
    explicit FaultyExchange(std::unique_ptr<comm::Exchange> sound) : sound_(std::move(sound)) {}

    void run(device::Stream& stream) override {
        sound_->run(stream);
        for (const auto& part : sound_->parts()) {
            pass_later("exchange", part, stream);
        }
    }
    [[nodiscard]] comm::PartLocation location() const override { return sound_->location(); }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return sound_->parts();
    }
    void release(device::Stream& stream) override { sound_->release(stream); }

  private:
    std::unique_ptr<comm::Exchange> sound_;
};

class FaultyPayloadChannel final : public comm::PayloadChannel {
  public:
    explicit FaultyPayloadChannel(std::unique_ptr<comm::PayloadChannel> sound)
        : sound_(std::move(sound)) {}

    device::View<std::byte> outgoing(int slot) override { return sound_->outgoing(slot); }
    comm::PayloadDescriptor send(int slot, Bytes size, int to) override {
        return sound_->send(slot, size, to);
    }
    void release(int slot) override { sound_->release(slot); }
    void finish(int slot) override { sound_->finish(slot); }
    void fetch(int slot, int from, const comm::PayloadDescriptor& descriptor) override {
        sound_->fetch(slot, from, descriptor);
    }
    device::View<const std::byte> contents(int slot) override {
        const auto payload = sound_->contents(slot);
        pass_payload(payload);
        return payload;
    }
    void read(int slot, const comm::UsePiece& use) override {
        sound_->read(slot, [&](std::int64_t first, const device::View<const std::byte>& piece) {
            pass_payload(piece);
            use(first, piece);
        });
    }

  private:
    static void pass_payload(const device::View<const std::byte>& payload) {
        if (!payload.empty() && payload.kind() != device::MemoryKind::device) {
            pass("payload", {const_cast<std::byte*>(payload.data()), payload.span().size()});
        }
    }

    std::unique_ptr<comm::PayloadChannel> sound_;
};

class FaultyTransport final : public comm::Transport {
  public:
    explicit FaultyTransport(std::unique_ptr<comm::Transport> sound) : sound_(std::move(sound)) {}

    [[nodiscard]] const comm::TransportTraits& traits() const override { return sound_->traits(); }
    [[nodiscard]] std::string description() const override { return sound_->description(); }
    [[nodiscard]] std::optional<bool> huge_pages() const override { return sound_->huge_pages(); }
    device::Allocation allocate(Bytes size) override { return sound_->allocate(size); }

    std::unique_ptr<comm::Push> prepare_push(const comm::PushPlan& plan) override {
        return std::make_unique<FaultyPush>(sound_->prepare_push(plan), plan.target);
    }
    void send(device::View<const std::byte> data, int to, device::Stream& stream) override {
        sound_->send(data, to, stream);
    }
    void receive(device::View<std::byte> data, int from, device::Stream& stream) override {
        sound_->receive(data, from, stream);
        pass_later("receive", data, stream);
    }
    std::unique_ptr<comm::PayloadChannel> prepare_payload_channel(
        const comm::PayloadChannelPlan& plan) override {
        return std::make_unique<FaultyPayloadChannel>(sound_->prepare_payload_channel(plan));
    }
    std::unique_ptr<comm::Collective> prepare_all_gather(const comm::AllGatherPlan& plan) override {
        return std::make_unique<FaultyCollective>("gather", sound_->prepare_all_gather(plan),
                                                  plan.all);
    }
    std::unique_ptr<comm::Collective> prepare_reduce_scatter(
        const comm::ReduceScatterPlan& plan) override {
        return std::make_unique<FaultyCollective>("reduce", sound_->prepare_reduce_scatter(plan),
                                                  device::as_bytes(plan.mine));
    }
    std::unique_ptr<comm::Exchange> prepare_exchange(const comm::ExchangePlan& plan) override {
        return std::make_unique<FaultyExchange>(sound_->prepare_exchange(plan));
    }
    std::unique_ptr<comm::OrderedSum> prepare_ordered_sum(const comm::Communicator& comm,
                                                          int most) override {
        return sound_->prepare_ordered_sum(comm, most);
    }

  private:
    std::unique_ptr<comm::Transport> sound_;
};

}  // namespace

comm::TransportKind faulty(const comm::TransportKind& sound) {
    comm::TransportKind kind = sound;
    if (sound.make) {
        kind.make = [make = sound.make](const comm::TransportContext& context) {
            return std::make_unique<FaultyTransport>(make(context));
        };
    }
    return kind;
}

}  // namespace quartet::faults
