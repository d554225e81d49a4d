#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/operations.hpp"
#include "core/trace.hpp"
#include "device/arena.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// Whose memory a transport moves.
enum class TransportMemory {
    host,
    gpu,
    either,  ///< whichever the device computes on
};

/// How far a transport reaches.
enum class Reach { one_node, all_nodes };

/// Whether ranks that share a GPU may use it.
enum class SharedGpus {
    served,
    for_checks_only,  ///< at most to check results: `auto` never picks it there
};

/// Who adds what is pushed.
enum class Additions {
    by_receiver,
    by_transport,  ///< messages may be added where they arrive
};

/// Whether transfers in chunks overlap with what is done with the chunks.
enum class Pipeline { on, off };

struct TransportSettings {
    Bytes chunk = mebibytes(2);
    Pipeline pipeline = Pipeline::on;
};

/// The facts of a transport, known before it is made. Callers ask for these instead of for names.
struct TransportTraits {
    std::string_view name;  ///< as on the command line; a literal
    TransportMemory memory = TransportMemory::either;
    Reach reach = Reach::all_nodes;
    /// Decides how operations are made: by of_all(), or by start() and wait().
    Receive receive = Receive::copied;
    Additions additions = Additions::by_receiver;
    int under_way = 2;        ///< pieces for which a receiver has memory, by sender
    std::int64_t copies = 1;  ///< of what is received: more than one if a library has it as well
    SharedGpus shared_gpus = SharedGpus::served;

    /// Whether it serves devices that compute on memory of that kind.
    [[nodiscard]] constexpr bool moves(device::MemoryKind kind) const {
        return memory == TransportMemory::either ||
               (memory == TransportMemory::gpu) == (kind == device::MemoryKind::device);
    }
};

/// How a vector goes in messages: in pieces of --chunk, or without the pipeline as large as a
/// message can be; whole cache lines.
struct PieceSettings {
    Bytes piece;        ///< at most
    int under_way = 1;  ///< for which a receiver has memory; one without the pipeline
};
PieceSettings pieces_of(Bytes vector, const TransportTraits& traits,
                        const TransportSettings& settings);

/// What a transport is made from; all of it outlives the transport.
struct TransportContext {
    const Communicator& world;
    const Topology& topology;
    device::Device& device;
    Trace& trace;
    TransportSettings settings;
};

/// Who uses memory of a transport.
enum class Place {
    device,  ///< this rank's device computes on it, and other ranks read it or are sent it
    host,    ///< the CPUs: payloads of queues, and, where parts are read in place, flags
};

/// Messages. What one rank sends to another in a lane is received in the same order and sizes.
/// They may be empty. `data` lies in memory of the transport and stays as it is until wait().
/// With additions by_transport, on both sides alike, floats are added to what the receiver has.
struct Outgoing {
    int to = 0;
    device::View<const std::byte> data;
    int lane = 0;
    Additions additions = Additions::by_receiver;
};
struct Incoming {
    int from = 0;
    device::View<std::byte> data;
    int lane = 0;
    Additions additions = Additions::by_receiver;
};

/// Messages under way. A number, so that starting allocates nothing once as many were under way.
struct Ticket {
    int slot = -1;  ///< -1: nothing is under way
};

/// Moves bulk data between the ranks of one communicator. A back end gives its traits and writes
/// the first four functions; all operations are made from these, once. Each operation is ordered
/// after the stream's earlier work, and its result is there for the stream's later work. Control
/// messages, and scalars that no step waits for, go by ControlChannel and Communicator instead.
class Transport {
  public:
    /// Collective, as is destroying it.
    Transport(const TransportContext& context, const TransportTraits& traits);
    virtual ~Transport() = default;
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    [[nodiscard]] const TransportTraits& traits() const { return traits_; }
    [[nodiscard]] std::string_view name() const { return traits_.name; }

    /// Zeroed memory, aligned to 64 bytes at least. Sizes may differ between ranks and may be 0.
    /// Throws Failure, on all ranks alike, if one has no memory. The transport outlives it.
    /// Collective. Release it on all ranks in the same order.
    virtual device::Allocation allocate(Bytes size, Place place = Place::device);
    /// Likewise, counted by the arena; while that plans, local, and without memory.
    device::Allocation allocate(device::Arena& arena, Bytes size, Place place = Place::device);

    /// Starts sending and receiving, after the stream's earlier work. Local.
    virtual Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                         device::Stream& stream);
    /// Later work of `user` (which need not be the stream of start()), on the host the caller, may
    /// then read what has come and change what was sent. Drives all other tickets meanwhile. The
    /// ticket is then empty; an empty one is waited for at once. Throws Failure if a message has
    /// another size: on the receiver, and maybe on the sender. Local.
    virtual void wait(Ticket& ticket, device::Stream& user);

    /// Each rank's `mine` as this process sees it, by rank, for as long as the own allocation that
    /// it lies in; all in the same collective allocation. Throws Failure if not. Collective.
    [[nodiscard]] virtual std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine);

    /// Settings and properties worth recording ("shared memory on huge pages").
    [[nodiscard]] virtual std::string description() const { return {}; }
    /// The transport that moves payloads of queues in the hosts' memories.
    [[nodiscard]] virtual Transport& for_payloads() { return *this; }

    /// Operations: collective, as is destroying them. While the arena plans they are local, and
    /// must not run. A vendor may have its own of the first two.
    virtual std::unique_ptr<Push> prepare_push(device::Arena& arena, const PushPlan& plan);
    virtual std::unique_ptr<Collective> prepare_all_gather(device::Arena& arena,
                                                           const AllGatherPlan& plan);
    std::unique_ptr<Collective> prepare_reduce_scatter(device::Arena& arena,
                                                       const ReduceScatterPlan& plan);
    std::unique_ptr<Exchange> prepare_exchange(device::Arena& arena, const ExchangePlan& plan);
    std::unique_ptr<PayloadChannel> prepare_payload_channel(device::Arena& arena,
                                                            const PayloadChannelPlan& plan);
    /// Sums of at most `most` numbers, seven where parts are read in place. Nothing while the arena
    /// plans: its memory is a few cache lines.
    std::unique_ptr<DeterministicAllreduce> prepare_allreduce(const device::Arena& arena, int most);

    /// Blocking, matched by the peer's call of the other kind; pairs stay in order. Not where parts
    /// are read in place.
    void send(device::View<const std::byte> data, int to, device::Stream& stream);
    void receive(device::View<std::byte> data, int from, device::Stream& stream);

    /// For sizes and control messages, which no transport needs to carry itself.
    [[nodiscard]] const Communicator& comm() const { return comm_; }
    [[nodiscard]] device::Device& device() const { return device_; }
    [[nodiscard]] Track& track() const { return track_; }
    [[nodiscard]] const TransportSettings& settings() const { return settings_; }
    /// A lane that no other operation uses at the same time; the same on all ranks, if all ask in
    /// the same order. None while the arena plans.
    [[nodiscard]] int new_lane(const device::Arena& arena);

  private:
    /// What an allocation of `size` takes of the device's memory.
    [[nodiscard]] virtual Bytes taken(Bytes size) const { return size; }
    [[nodiscard]] device::MemoryKind kind_of(Place place) const;

    TransportTraits traits_;
    Communicator comm_;
    device::Device& device_;
    TransportSettings settings_;
    Track& track_;
    int lane_ = 0;
};

/// `count` elements of T from `transport`. Collective; local while the arena plans.
template <typename T>
device::Buffer<T> allocate(device::Arena& arena, Transport& transport, std::int64_t count) {
    return {transport.allocate(arena, bytes_of<T>(count)), count};
}

/// One way to move data: its traits, whether it can work here, and how to make it.
struct TransportKind {
    TransportTraits traits;
    /// Why it cannot be had here, or nothing. Asked only if the traits fit the device and the
    /// number of nodes. Collective; the same answer on all ranks.
    std::function<std::optional<std::string>(const TransportContext&)> why_not{};
    /// Collective.
    std::function<std::unique_ptr<Transport>(const TransportContext&)> make{};
    /// Why this build lacks it, if it does: then neither function is called.
    std::optional<std::string> absence{};
};

/// Messages of MPI, of which none is longer than `largest`; for other transports' payloads, and for
/// tests. Collective.
std::unique_ptr<Transport> make_mpi_transport(const TransportContext& context,
                                              Bytes largest = gibibytes(1));
/// Memory that the ranks of one node share, page-locked for the copies of an accelerator.
/// Collective.
std::unique_ptr<Transport> make_shared_transport(const TransportContext& context,
                                                 device::Accelerator* copier);

/// The GPU of each rank, by rank, as a text: ranks that share one have the same. Collective.
std::vector<std::string> gpus_of_ranks(const TransportContext& context);
/// Whether two of the places are the same.
bool any_shared(std::vector<std::string> places);

/// For TransportKind::make.
template <typename T>
std::unique_ptr<Transport> make_transport(const TransportContext& context) {
    return std::make_unique<T>(context);
}

}  // namespace quartet::comm
