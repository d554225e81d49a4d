#include "comm/transport/shared/shm_payload_channel.hpp"

#include <vector>

#include "system/page.hpp"

namespace quartet::comm {

namespace {

// Bytes from one slot to the next: slots of different writers never share a page.
std::int64_t stride_of(const PayloadChannelPlan& plan) {
    return (plan.largest.value + system::page_bytes - 1) / system::page_bytes * system::page_bytes;
}

class ShmPayloadChannel final : public PayloadChannel {
  public:
    ShmPayloadChannel(const PayloadChannelPlan& plan, WindowPool& pool)
        : pool_(pool),
          largest_(plan.largest),
          stride_(stride_of(plan)),
          outgoing_(pool.allocate(shm_payload_memory(plan).windows)),
          window_(pool.newest()),
          incoming_(static_cast<std::size_t>(plan.incoming)) {}

    device::View<std::byte> outgoing(int slot) override {
        return {outgoing_.data.get() + slot * stride_, largest_.value, outgoing_.kind};
    }

    PayloadDescriptor send(int slot, Bytes size, int /*to*/) override {
        check(size <= largest_, "payload channel: a payload is larger than planned");
        pool_.synchronise_memory();
        return {size.value, slot};
    }

    void release(int /*slot*/) override {}

    void fetch(int slot, int from, const PayloadDescriptor& descriptor) override {
        check(Bytes{descriptor.size} <= largest_,
              "payload channel: a payload is larger than planned");
        incoming_.at(static_cast<std::size_t>(slot)) = {
            window_.part_of(from) + descriptor.slot * stride_, descriptor.size, outgoing_.kind};
    }

    device::View<const std::byte> contents(int slot) override {
        pool_.synchronise_memory();
        return incoming_.at(static_cast<std::size_t>(slot));
    }

  private:
    WindowPool& pool_;
    Bytes largest_;
    std::int64_t stride_;
    device::Allocation outgoing_;
    const Window& window_;  ///< that of `outgoing_`
    std::vector<device::View<const std::byte>> incoming_;
};

}  // namespace

PayloadMemory shm_payload_memory(const PayloadChannelPlan& plan) {
    return {.host = {}, .windows = {plan.outgoing * stride_of(plan)}};
}

std::unique_ptr<PayloadChannel> make_shm_payload_channel(const PayloadChannelPlan& plan,
                                                         WindowPool& pool) {
    return std::make_unique<ShmPayloadChannel>(plan, pool);
}

}  // namespace quartet::comm
