#pragma once

#include <span>
#include <vector>

#include "comm/control_channel.hpp"
#include "comm/mail.hpp"

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
          outgoing_(static_cast<std::size_t>(plan.outgoing * plan.largest.value)),
          incoming_(static_cast<std::size_t>(plan.incoming)) {
        for (std::vector<std::byte>& place : incoming_) {
            place.reserve(static_cast<std::size_t>(plan.largest.value));
        }
    }

    /// What goes with the announcement of a parcel.
    [[nodiscard]] std::span<const std::byte> attachment(const comm::Parcel& parcel) {
        return outgoing(static_cast<int>(parcel.place))
            .span()
            .first(static_cast<std::size_t>(parcel.size));
    }
    /// What came with it.
    void deliver(int place, std::span<const std::byte> attachment) {
        incoming_.at(static_cast<std::size_t>(place)).assign(attachment.begin(), attachment.end());
    }

    device::View<std::byte> outgoing(int place) override {
        return {outgoing_.data() + place * largest_.value, largest_.value,
                device::MemoryKind::host};
    }
    comm::Parcel post(int place, Bytes size, int /*to*/) override { return {size.value, place}; }
    void reclaim(int /*place*/) override {}
    void accept(int /*place*/, int /*from*/, const comm::Parcel& /*parcel*/) override {}
    device::View<const std::byte> contents(int place) override {
        const std::vector<std::byte>& bytes = incoming_.at(static_cast<std::size_t>(place));
        return {bytes.data(), std::ssize(bytes), device::MemoryKind::host};
    }

  private:
    Bytes largest_;
    std::vector<std::byte> outgoing_;
    std::vector<std::vector<std::byte>> incoming_;
};

}  // namespace quartet::flow
