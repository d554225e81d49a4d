#include "comm/transport/operations_internal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/mpi/mpi_session.hpp"
#include "device/accelerator.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

namespace {

// More operations than are prepared at a time. Lanes are tags of messages; transport rma has two
// tags for each lane, and others above them. MPI promises 32767.
constexpr int most_lanes = 8192;
// The lane of send() and receive(), also without data.
constexpr int lane_of_pairs = 0;

}  // namespace

Pieces pieces_of(Bytes vector, const Transport& transport) {
    // A piece is one message of MPI or gRPC, whose sizes are ints.
    constexpr Bytes largest_piece = mebibytes(1024);
    const TransportSettings& settings = transport.settings();
    const bool pipelined = settings.pipeline == Pipeline::on;
    const Bytes wanted = pipelined ? std::min(settings.chunk, largest_piece) : largest_piece;
    const std::int64_t size = std::max<std::int64_t>(std::min(wanted, vector).value, 1);
    return {{vector.value, system::whole_pages(size, system::cache_line)},
            pipelined ? transport.traits().under_way : 1};
}

Transport::Transport(const TransportContext& context, const TransportTraits& traits)
    : traits_(traits),
      comm_(context.world.duplicate()),
      device_(context.device),
      settings_(context.settings),
      track_(context.trace.track(std::string(traits.name))) {}

device::Allocation Transport::allocate(Bytes size, Place place) {
    device::Allocation made;
    agree(comm_, [&] { made = device_.allocate(size, kind_of(place)); });
    return made;
}

device::Allocation Transport::allocate(device::Arena& arena, Bytes size, Place place) {
    const device::MemoryKind kind = kind_of(place);
    arena.reserve(kind == device::MemoryKind::device ? taken(size) : size, kind);
    return arena.plans() ? device::Arena::planned(size, kind) : allocate(size, place);
}

device::MemoryKind Transport::kind_of(Place place) const {
    return place == Place::host && device::has_own_memory(device_) ? device::MemoryKind::pinned
                                                                   : device_.memory_kind();
}

Ticket Transport::start(std::span<const Outgoing>, std::span<const Incoming>, device::Stream&) {
    throw Failure(fmt::format("transport {} has no messages", name()));
}

std::vector<device::View<const std::byte>> Transport::of_all(device::View<const std::byte>) {
    throw Failure(fmt::format("transport {} reads nothing in place", name()));
}

int Transport::new_lane(const device::Arena& arena) {
    if (arena.plans()) {
        return -1;
    }
    lane_ = lane_ % (most_lanes - 1) + 1;
    return lane_;
}

void acknowledge(int to, int lane, const Communicator& comm) {
    check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, to, lane, comm.handle()));
}

void await_acknowledgement(int from, int lane, const Communicator& comm) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, from, lane, comm.handle(), MPI_STATUS_IGNORE));
}

// A message without data says only that its sender has come this far.
void Transport::send(device::View<const std::byte> data, int to, device::Stream& stream) {
    if (data.empty()) {
        stream.synchronize();
        acknowledge(to, lane_of_pairs, comm_);
        return;
    }
    const Outgoing message{to, data, lane_of_pairs};
    Ticket ticket = start({&message, 1}, {}, stream);
    wait(ticket, stream);
    stream.synchronize();
}

void Transport::receive(device::View<std::byte> data, int from, device::Stream& stream) {
    if (data.empty()) {
        await_acknowledgement(from, lane_of_pairs, comm_);
        return;
    }
    const Incoming message{from, data, lane_of_pairs};
    Ticket ticket = start({}, {&message, 1}, stream);
    wait(ticket, stream);
    stream.synchronize();
}

// Parts of one GPU (MIG) have UUIDs of their own.
std::vector<std::string> gpus_of_ranks(const TransportContext& context) {
    const device::Accelerator* gpu = context.device.accelerator();
    return context.world.gather(fmt::format("{} {}", context.topology.mine().node,
                                            gpu == nullptr ? "" : gpu->facts().uuid));
}

bool any_shared(std::vector<std::string> places) {
    std::ranges::sort(places);
    return std::ranges::adjacent_find(places) != places.end();
}

}  // namespace quartet::comm
