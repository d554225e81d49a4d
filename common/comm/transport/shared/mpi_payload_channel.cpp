#include "comm/transport/shared/mpi_payload_channel.hpp"

#include <climits>
#include <vector>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int payload_tag = 0;

/// One place: its memory and the message that it takes part in.
struct Slot {
    device::Buffer<std::byte> memory;
    std::int64_t size = 0;
    MPI_Request request = MPI_REQUEST_NULL;
};

class MpiMail final : public Mail {
  public:
    MpiMail(const MailPlan& plan, const Communicator& comm, device::Device& device, Track& track,
            device::MemoryKind kind)
        : comm_(comm.duplicate()), largest_(plan.largest), track_(track) {
        check(largest_.value <= INT_MAX, "mail: a payload is larger than MPI counts");
        for (auto* slots : {&outgoing_, &incoming_}) {
            slots->resize(
                static_cast<std::size_t>(slots == &outgoing_ ? plan.outgoing : plan.incoming));
            for (Slot& slot : *slots) {
                slot.memory = device::allocate<std::byte>(device, largest_.value, kind);
            }
        }
    }

    device::View<std::byte> outgoing(int place) override {
        return outgoing_.at(static_cast<std::size_t>(place)).memory.view();
    }

    Parcel post(int place, Bytes size, int to) override {
        check(size <= largest_, "mail: a payload is larger than planned");
        Slot& slot = outgoing_.at(static_cast<std::size_t>(place));
        check_mpi(MPI_Isend(slot.memory.view().data(), static_cast<int>(size.value), MPI_BYTE, to,
                            payload_tag, comm_.handle(), &slot.request));
        return {size.value, place};
    }

    // The receiver has it: the request is complete, or about to be.
    void reclaim(int place) override {
        check_mpi(
            MPI_Wait(&outgoing_.at(static_cast<std::size_t>(place)).request, MPI_STATUS_IGNORE));
    }

    void accept(int place, int from, const Parcel& parcel) override {
        check(Bytes{parcel.size} <= largest_, "mail: a payload is larger than planned");
        Slot& slot = incoming_.at(static_cast<std::size_t>(place));
        slot.size = parcel.size;
        check_mpi(MPI_Irecv(slot.memory.view().data(), static_cast<int>(parcel.size), MPI_BYTE,
                            from, payload_tag, comm_.handle(), &slot.request));
    }

    device::View<const std::byte> contents(int place) override {
        Slot& slot = incoming_.at(static_cast<std::size_t>(place));
        const Span span(track_, Phase::exchange, "receive");
        check_mpi(MPI_Wait(&slot.request, MPI_STATUS_IGNORE));
        return slot.memory.view().part(0, slot.size);
    }

  private:
    Communicator comm_;
    Bytes largest_;
    Track& track_;
    std::vector<Slot> outgoing_;
    std::vector<Slot> incoming_;
};

}  // namespace

std::unique_ptr<Mail> make_mpi_mail(const MailPlan& plan, const Communicator& comm,
                                    device::Device& device, Track& track, device::MemoryKind kind) {
    return std::make_unique<MpiMail>(plan, comm, device, track, kind);
}

}  // namespace quartet::comm
