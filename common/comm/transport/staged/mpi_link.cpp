#include "comm/transport/staged/mpi_link.hpp"

#include <climits>
#include <exception>
#include <vector>

#include "comm/mpi/mpi_session.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

constexpr int chunk_tag = 0;

class MpiLink final : public StagedLink {
  public:
    MpiLink(int peer, int depth, const Communicator& comm, device::Device& device)
        : peer_(peer),
          comm_(comm),
          device_(device),
          outgoing_(static_cast<std::size_t>(depth)),
          incoming_(static_cast<std::size_t>(depth)),
          exceptions_(std::uncaught_exceptions()) {}
    ~MpiLink() override;
    MpiLink(const MpiLink&) = delete;
    MpiLink& operator=(const MpiLink&) = delete;

    [[nodiscard]] int depth() const override { return static_cast<int>(outgoing_.size()); }
    void reserve(Bytes size) override;

    [[nodiscard]] bool is_free(std::int64_t chunk) override { return done(slot(outgoing_, chunk)); }
    [[nodiscard]] device::View<std::byte> outgoing(std::int64_t chunk, Bytes size) override {
        return slot(outgoing_, chunk).memory.view().part(0, size.value);
    }
    void post(std::int64_t chunk, Bytes size) override;

    void expect(std::int64_t chunk, Bytes size) override;
    [[nodiscard]] bool arrived(std::int64_t chunk) override { return done(slot(incoming_, chunk)); }
    [[nodiscard]] device::View<const std::byte> incoming(std::int64_t chunk, Bytes size) override {
        return slot(incoming_, chunk).memory.view().part(0, size.value);
    }
    void release(std::int64_t /*chunk*/) override {}

  private:
    struct Slot {
        device::Buffer<std::byte> memory;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    static Slot& slot(std::vector<Slot>& slots, std::int64_t chunk) {
        return slots[static_cast<std::size_t>(chunk) % slots.size()];
    }
    static bool done(Slot& slot);

    int peer_;
    const Communicator& comm_;
    device::Device& device_;
    std::vector<Slot> outgoing_;
    std::vector<Slot> incoming_;
    int exceptions_;
};

// Everything sent has been received by now, or the peer fails as this rank does.
MpiLink::~MpiLink() {
    for (Slot& slot : outgoing_) {
        if (std::uncaught_exceptions() <= exceptions_) {
            MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
        }
    }
}

void MpiLink::reserve(Bytes size) {
    check(size.value <= INT_MAX, "a chunk is larger than MPI counts");
    for (auto* slots : {&outgoing_, &incoming_}) {
        for (Slot& slot : *slots) {
            if (slot.memory.view().bytes() < size) {
                check_mpi(MPI_Wait(&slot.request, MPI_STATUS_IGNORE));
                slot.memory =
                    device::allocate<std::byte>(device_, size.value, device::MemoryKind::pinned);
            }
        }
    }
}

bool MpiLink::done(Slot& slot) {
    int flag = 0;
    check_mpi(MPI_Test(&slot.request, &flag, MPI_STATUS_IGNORE));
    return flag != 0;
}

void MpiLink::post(std::int64_t chunk, Bytes size) {
    Slot& filled = slot(outgoing_, chunk);
    check_mpi(MPI_Isend(filled.memory.view().data(), static_cast<int>(size.value), MPI_BYTE, peer_,
                        chunk_tag, comm_.handle(), &filled.request));
}

void MpiLink::expect(std::int64_t chunk, Bytes size) {
    Slot& empty = slot(incoming_, chunk);
    check_mpi(MPI_Irecv(empty.memory.view().data(), static_cast<int>(size.value), MPI_BYTE, peer_,
                        chunk_tag, comm_.handle(), &empty.request));
}

}  // namespace

std::unique_ptr<StagedLink> make_mpi_link(int peer, int depth, const Communicator& comm,
                                          device::Device& device) {
    return std::make_unique<MpiLink>(peer, depth, comm, device);
}

}  // namespace quartet::comm
