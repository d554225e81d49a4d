#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "comm/mpi/control_channel.hpp"
#include "comm/transport/shared/payload_channel.hpp"

namespace quartet::flow {

/// Payloads so small that they travel with the control messages that announce them: one message
/// instead of two.
class InlineMail final : public comm::Mail {
  public:
    /// The largest payload that goes this way.
    static constexpr Bytes limit{1024};
    static_assert(2 * limit.value <= std::ptrdiff_t{comm::ControlChannel::largest_payload});

    explicit InlineMail(const comm::MailPlan& plan)
        : largest_(plan.largest),
          outgoing_(static_cast<std::size_t>(plan.outgoing)),
          incoming_(static_cast<std::size_t>(plan.incoming)) {
        check(plan.largest <= limit, "mail: a payload is too large for its announcement");
    }

    /// What goes with the announcement of a parcel.
    [[nodiscard]] std::span<const std::byte> attachment(const comm::Parcel& parcel) {
        const Place& place = outgoing_.at(static_cast<std::size_t>(parcel.place));
        return std::span(place.bytes).first(static_cast<std::size_t>(parcel.size));
    }
    /// What came with it.
    void deliver(int place, std::span<const std::byte> attachment) {
        Place& to = incoming_.at(static_cast<std::size_t>(place));
        check(attachment.size() <= to.bytes.size(), "mail: a payload is larger than planned");
        std::ranges::copy(attachment, to.bytes.begin());
        to.size = std::ssize(attachment);
    }

    device::View<std::byte> outgoing(int place) override {
        return {outgoing_.at(static_cast<std::size_t>(place)).bytes.data(), largest_.value,
                device::MemoryKind::host};
    }
    comm::Parcel post(int place, Bytes size, int /*to*/) override { return {size.value, place}; }
    void reclaim(int /*place*/) override {}
    void accept(int /*place*/, int /*from*/, const comm::Parcel& /*parcel*/) override {}
    device::View<const std::byte> contents(int place) override {
        const Place& from = incoming_.at(static_cast<std::size_t>(place));
        return {from.bytes.data(), from.size, device::MemoryKind::host};
    }

  private:
    struct alignas(64) Place {
        std::array<std::byte, limit.value> bytes;
        std::int64_t size = 0;
    };

    Bytes largest_;
    std::vector<Place> outgoing_;
    std::vector<Place> incoming_;
};

}  // namespace quartet::flow
