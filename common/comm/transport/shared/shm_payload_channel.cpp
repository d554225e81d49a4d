#include "comm/transport/shared/shm_payload_channel.hpp"

#include <vector>

#include "system/page.hpp"

namespace quartet::comm {

namespace {

// Slots of different writers never share a page.

class ShmPayloadChannel final : public PayloadChannel {
  public:
    ShmPayloadChannel(const PayloadChannelPlan& plan, WindowPool& pool)
        : pool_(pool),
          largest_(plan.largest),
          stride_((plan.largest.value + system::page_bytes - 1) / system::page_bytes *
                  system::page_bytes),
          outgoing_(pool.allocate({plan.outgoing * stride_})),
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
    std::int64_t stride_;  ///< bytes from one slot to the next
    device::Allocation outgoing_;
    const Window& window_;  ///< that of `outgoing_`
    std::vector<device::View<const std::byte>> incoming_;
};

}  // namespace

std::unique_ptr<PayloadChannel> make_shm_payload_channel(const PayloadChannelPlan& plan,
                                                         WindowPool& pool) {
    return std::make_unique<ShmPayloadChannel>(plan, pool);
}

}  // namespace quartet::comm
