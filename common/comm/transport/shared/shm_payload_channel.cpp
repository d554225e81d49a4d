#include "comm/transport/shared/shm_payload_channel.hpp"

#include <vector>

#include "system/page.hpp"

namespace quartet::comm {

namespace {

// Places of different writers never share a page.

class ShmMail final : public Mail {
  public:
    ShmMail(const MailPlan& plan, WindowPool& pool)
        : pool_(pool),
          largest_(plan.largest),
          stride_((plan.largest.value + system::page_bytes - 1) / system::page_bytes *
                  system::page_bytes),
          outgoing_(pool.allocate({plan.outgoing * stride_})),
          window_(pool.newest()),
          incoming_(static_cast<std::size_t>(plan.incoming)) {}

    device::View<std::byte> outgoing(int place) override {
        return {outgoing_.data.get() + place * stride_, largest_.value, outgoing_.kind};
    }

    Parcel post(int place, Bytes size, int /*to*/) override {
        check(size <= largest_, "mail: a payload is larger than planned");
        pool_.synchronise_memory();
        return {size.value, place};
    }

    void reclaim(int /*place*/) override {}

    void accept(int place, int from, const Parcel& parcel) override {
        check(Bytes{parcel.size} <= largest_, "mail: a payload is larger than planned");
        incoming_.at(static_cast<std::size_t>(place)) = {
            window_.part_of(from) + parcel.place * stride_, parcel.size, outgoing_.kind};
    }

    device::View<const std::byte> contents(int place) override {
        pool_.synchronise_memory();
        return incoming_.at(static_cast<std::size_t>(place));
    }

  private:
    WindowPool& pool_;
    Bytes largest_;
    std::int64_t stride_;  ///< bytes from one place to the next
    device::Allocation outgoing_;
    const Window& window_;  ///< that of `outgoing_`
    std::vector<device::View<const std::byte>> incoming_;
};

}  // namespace

std::unique_ptr<Mail> make_shm_mail(const MailPlan& plan, WindowPool& pool) {
    return std::make_unique<ShmMail>(plan, pool);
}

}  // namespace quartet::comm
