#include <fmt/format.h>

#include <utility>

#include "comm/mpi/mpi_session.hpp"
#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits mpi_traits{.name = "mpi"};

/// Non-blocking two-sided messages from and to the device's own memory. A message's count is an
/// int: longer data goes in several messages.
class MpiTransport final : public Transport {
  public:
    MpiTransport(const TransportContext& context, Bytes largest)
        : Transport(context, mpi_traits), largest_(largest.value), slots_(first_slots) {
        const auto ranks = static_cast<std::size_t>(comm().size());
        for (UnderWay& slot : slots_) {  // so that first runs allocate nothing
            slot.requests.reserve(2 * ranks);
            slot.expected.reserve(ranks);
        }
    }

    Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                 device::Stream& stream) override {
        stream.synchronize();
        const Ticket ticket = take_slot(slots_);
        UnderWay& slot = slots_[index(ticket.slot)];
        for (const Incoming& message : incoming) {
            for_parts(message.data, largest_, [&](device::View<std::byte> part) {
                slot.expected.push_back(static_cast<int>(part.size()));
                check_mpi(MPI_Irecv(part.data(), slot.expected.back(), MPI_BYTE, message.from,
                                    message.lane, comm().handle(), next_request(slot)));
            });
        }
        for (const Outgoing& message : outgoing) {
            for_parts(message.data, largest_, [&](device::View<const std::byte> part) {
                check_mpi(MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE,
                                    message.to, message.lane, comm().handle(), next_request(slot)));
            });
        }
        return ticket;
    }

  private:
    static constexpr int first_slots = 32;

    /// The requests of one start(): receives first.
    struct UnderWay {
        bool busy = false;
        std::vector<MPI_Request> requests;
        std::vector<int> expected;  ///< bytes of each receive
    };

    static MPI_Request* next_request(UnderWay& slot) {
        return &slot.requests.emplace_back(MPI_REQUEST_NULL);
    }
    void finish(int number, device::Stream& /*user*/) override {
        UnderWay& slot = slots_[index(number)];
        // One by one: Open MPI's MPI_Waitall does not return if a message is longer than its
        // buffer.
        for (std::size_t message = 0; message < slot.requests.size(); ++message) {
            MPI_Status status;
            check_mpi(MPI_Wait(&slot.requests[message], &status));
            if (message < slot.expected.size()) {
                int came = 0;
                check_mpi(MPI_Get_count(&status, MPI_BYTE, &came));
                if (came != slot.expected[message]) {
                    fail(fmt::format("a message of {} bytes came instead of {}", came,
                                     slot.expected[message]));
                }
            }
        }
        slot.requests.clear();
        slot.expected.clear();
        slot.busy = false;
    }

    std::int64_t largest_;
    std::vector<UnderWay> slots_;
};

std::optional<std::string> why_no_mpi(const TransportContext& context) {
    if (!device::has_own_memory(context.device)) {
        return std::nullopt;
    }
    const auto reason = context.world.first(why_mpi_reaches_no_gpu());
    if (!reason) {
        return std::nullopt;
    }
    return fmt::format(
        "transport mpi needs an MPI that reaches memory of GPUs ({}): use one that was configured "
        "with CUDA, or --transport staged",
        *reason);
}

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(const TransportContext& context, Bytes largest) {
    return std::make_unique<MpiTransport>(context, largest);
}

TransportKind mpi_transport() {
    return {mpi_traits, why_no_mpi,
            [](const TransportContext& context) { return make_mpi_transport(context); }};
}

}  // namespace quartet::comm
