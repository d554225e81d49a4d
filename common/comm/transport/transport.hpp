#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/operations.hpp"
#include "core/trace.hpp"
#include "device/arena.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// The memory that a transport moves.
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

/// The side that adds pushed data.
enum class Additions {
    by_receiver,
    by_transport,  ///< messages may be added where they arrive
};

/// Whether the transfer of a chunk overlaps with the use of the chunk before it.
enum class Pipeline { on, off };

struct TransportSettings {
    Bytes chunk = mebibytes(2);
    Pipeline pipeline = Pipeline::on;
};

/// The facts of a transport, known before it is made. Callers test these instead of names.
struct TransportTraits {
    std::string_view name;  ///< as on the command line; a literal
    TransportMemory memory = TransportMemory::either;
    Reach reach = Reach::all_nodes;
    /// Decides how operations are made: by of_all(), or by start() and wait().
    Receive receive = Receive::copied;
    Additions additions = Additions::by_receiver;
    int under_way = 2;        ///< pieces of each sender for which a receiver has memory
    std::int64_t copies = 1;  ///< of received data: 2 if a library keeps one, too
    SharedGpus shared_gpus = SharedGpus::served;

    /// Whether it serves devices that compute on memory of that kind.
    [[nodiscard]] constexpr bool moves(device::MemoryKind kind) const {
        return memory == TransportMemory::either ||
               (memory == TransportMemory::gpu) == (kind == device::MemoryKind::device);
    }
};

/// What a transport is made from. It borrows all that this refers to.
struct TransportContext {
    const Communicator& world;
    const Topology& topology;
    device::Device& device;
    Trace& trace;
    TransportSettings settings;
};

/// How memory of a transport is used.
enum class Place {
    device,  ///< this rank's device computes on it; other ranks read it or receive it
    host,    ///< CPUs use it: for payloads of queues, and for flags of data that is read in place
};

/// Messages. Those from one rank to another in one lane are received in the order of sending; sizes
/// must agree, and may be 0. `data` lies in memory of the transport, and must not change until
/// wait(). If `additions` is not 0, on both sides, the floats are added that often to the
/// receiver's.
struct Outgoing {
    int to = 0;
    device::View<const std::byte> data;
    int lane = 0;
    int additions = 0;
};
struct Incoming {
    int from = 0;
    device::View<std::byte> data;
    int lane = 0;
    int additions = 0;
};

/// Messages under way. It is a number, so that start() allocates nothing if as many were under way
/// before.
struct Ticket {
    int slot = -1;  ///< -1: nothing is under way
};

/// Moves bulk data between the ranks of one communicator. A back end gives its traits and overrides
/// some of allocate(), start(), finish() and of_all(). All operations are built on these, once for
/// all back ends. Each operation is ordered after the stream's earlier work, and its result is
/// there for the stream's later work. Control messages, and scalars that no step waits for, go by
/// ControlChannel and Communicator instead.
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
    /// The same, and the arena counts the memory. While the arena plans: local, without memory.
    device::Allocation allocate(device::Arena& arena, Bytes size, Place place = Place::device);

    /// Starts sending and receiving, after the stream's earlier work. Local.
    virtual Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                         device::Stream& stream);
    /// Afterwards later work of `user` (which need not be the stream of start()), or on the host
    /// the caller, may read received data and change sent data. Meanwhile all other tickets make
    /// progress. Empties the ticket; returns at once if it is empty. Throws Failure if sender and
    /// receiver gave different sizes: on the receiver, and perhaps on the sender. Local.
    void wait(Ticket& ticket, device::Stream& user) {
        if (ticket.slot >= 0) {
            finish(std::exchange(ticket.slot, -1), user);
        }
    }

    /// Views of each rank's `mine` in this process, by rank; valid as long as the allocation of
    /// `mine`. Every rank's `mine` lies in the same collective allocation, or is empty. Throws
    /// Failure if this transport did not allocate it. Collective.
    [[nodiscard]] virtual std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine);

    /// Settings and properties worth recording ("shared memory on huge pages").
    [[nodiscard]] virtual std::string description() const { return {}; }
    /// The transport that moves payloads of queues in the hosts' memories.
    [[nodiscard]] virtual Transport& for_payloads() { return *this; }

    /// Make operations. Making and destroying one is collective. While the arena plans both are
    /// local, and the operation must not run. Back ends may override the first two.
    virtual std::unique_ptr<Push> prepare_push(device::Arena& arena, const PushPlan& plan);
    virtual std::unique_ptr<Collective> prepare_all_gather(device::Arena& arena,
                                                           const AllGatherPlan& plan);
    std::unique_ptr<Collective> prepare_reduce_scatter(device::Arena& arena,
                                                       const ReduceScatterPlan& plan);
    std::unique_ptr<Exchange> prepare_exchange(device::Arena& arena, const ExchangePlan& plan);
    std::unique_ptr<PayloadChannel> prepare_payload_channel(device::Arena& arena,
                                                            const PayloadChannelPlan& plan);
    /// For sums of at most `most` numbers; 7 is the limit of transports that read in place. Null
    /// while the arena plans: the memory is only a few cache lines.
    std::unique_ptr<DeterministicAllreduce> prepare_allreduce(const device::Arena& arena, int most);

    /// Block, and match the peer's receive() and send() in the order of the calls. Transports that
    /// read in place have only those without data. Local.
    void send(device::View<const std::byte> data, int to, device::Stream& stream);
    void receive(device::View<std::byte> data, int from, device::Stream& stream);

    /// For sizes and control messages, which no transport needs to carry itself.
    [[nodiscard]] const Communicator& comm() const { return comm_; }
    [[nodiscard]] device::Device& device() const { return device_; }
    [[nodiscard]] Track& track() const { return track_; }
    [[nodiscard]] const TransportSettings& settings() const { return settings_; }
    /// A lane that no other operation uses at the same time; the same on all ranks if all call this
    /// in the same order. -1 while the arena plans.
    [[nodiscard]] int new_lane(const device::Arena& arena);

  private:
    /// What wait() does for the messages of a ticket.
    virtual void finish(int /*slot*/, device::Stream& /*user*/) {}
    /// The memory of the device that an allocation of `size` takes.
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
device::Buffer<T> allocate(device::Arena& arena, Transport& transport, std::int64_t count,
                           Place place = Place::device) {
    return {transport.allocate(arena, bytes_of<T>(count), place), count};
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

/// Transport mpi, with messages of at most `largest`; for other transports' payloads, and for
/// tests. Collective.
std::unique_ptr<Transport> make_mpi_transport(const TransportContext& context,
                                              Bytes largest = gibibytes(1));
/// Transport shm; its memory is page-locked for copies by `copier` unless that is null. Collective.
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
