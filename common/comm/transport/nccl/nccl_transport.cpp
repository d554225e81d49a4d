#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/transport/nccl/nccl_library.hpp"
#include "comm/transport/nccl/nccl_traits.hpp"
#include "comm/transport/operations_internal.hpp"
#include "core/check.hpp"
#include "core/environment.hpp"
#include "device/accelerator.hpp"

namespace quartet::comm {

int NcclLibrary::version() const {
    int number = 0;
    check(get_version(&number), "ncclGetVersion");
    return number;
}

// last_error() says which setting or system call failed, error_string() only what kind of error it
// was.
void NcclLibrary::check(ncclResult_t status, const char* call, std::source_location where) const {
    if (status != ncclSuccess) {
        throw Failure(fmt::format("{} failed ({}; {}, at {}): NCCL_DEBUG=INFO says more", call,
                                  error_string(status), quotation(last_error(nullptr)),
                                  describe(where)));
    }
}

namespace {

/// NCCL's communicator of the ranks of `comm`, each with its current GPU. Its operations are
/// kernels on a stream of the GPU: enqueued, not waited for.
class NcclCommunicator {
  public:
    /// Collective. Throws Failure, on all ranks, with NCCL's words. The GPU outlives it.
    NcclCommunicator(const Communicator& comm, device::Accelerator& gpu)
        : library_(load_nccl()), gpu_(gpu), exceptions_(std::uncaught_exceptions()) {
        ncclUniqueId id{};
        agree(comm, [&] {
            if (comm.rank() == 0) {
                library_->check(library_->get_unique_id(&id), "ncclGetUniqueId");
            }
        });
        const std::string text = comm.broadcast(std::string(id.internal, sizeof(id.internal)), 0);
        text.copy(id.internal, sizeof(id.internal));
        agree(comm, [&] {
            library_->check(library_->init_rank(&handle_, comm.size(), id, comm.rank()),
                            "ncclCommInitRank");
        });
    }
    /// Collective, except while an exception unwinds: then it aborts what is under way.
    ~NcclCommunicator() {
        const bool unwinds = std::uncaught_exceptions() > exceptions_;
        (unwinds ? library_->abort : library_->destroy)(handle_);
    }
    NcclCommunicator(const NcclCommunicator&) = delete;
    NcclCommunicator& operator=(const NcclCommunicator&) = delete;

    [[nodiscard]] const NcclLibrary& library() const { return *library_; }

    /// All messages in one group, so that NCCL moves them at the same time.
    void exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                  device::Stream& stream) {
        if (outgoing.empty() && incoming.empty()) {
            return;
        }
        const NcclLibrary& nccl = *library_;
        const auto work = [&](void* native) {
            const auto on = static_cast<cudaStream_t>(native);
            nccl.check(nccl.group_start(), "ncclGroupStart");
            for (const auto& [to, data, lane, additions] : outgoing) {
                nccl.check(nccl.send(data.data(), count(data), ncclUint8, to, handle_, on),
                           "ncclSend");
            }
            for (const auto& [from, data, lane, additions] : incoming) {
                nccl.check(nccl.receive(data.data(), count(data), ncclUint8, from, handle_, on),
                           "ncclRecv");
            }
            nccl.check(nccl.group_end(), "ncclGroupEnd");
        };
        gpu_.launch(stream, Phase::exchange, "nccl messages", std::cref(work));
    }

    /// Gathers equally many bytes from each rank. `mine` may be its own part of `all`.
    void all_gather(device::View<const std::byte> mine, device::View<std::byte> all,
                    device::Stream& stream) {
        const auto work = [&](void* native) {
            library_->check(library_->all_gather(mine.data(), all.data(), count(mine), ncclUint8,
                                                 handle_, static_cast<cudaStream_t>(native)),
                            "ncclAllGather");
        };
        gpu_.launch(stream, Phase::exchange, "nccl all-gather", std::cref(work));
    }

  private:
    static std::size_t count(device::View<const std::byte> data) {
        return static_cast<std::size_t>(data.size());
    }

    std::shared_ptr<const NcclLibrary> library_;
    device::Accelerator& gpu_;
    ncclComm_t handle_ = nullptr;
    int exceptions_;
};

/// While the receiver adds one piece of every sender, the next ones arrive beside the target. A
/// piece of all senders comes in one group.
class NcclPieces {
  public:
    /// `wire` is the stream of NCCL's transfers, so that additions run beside them.
    NcclPieces(device::Arena& arena, Transport& transport, const PushPlan& plan,
               NcclCommunicator& nccl, device::Stream& wire)
        : plan_(plan), nccl_(nccl), wire_(wire), ready_(transport.device().make_event()) {
        const bool receives = transport.comm().rank() == plan.receiver;
        const Pieces pieces =
            pieces_of(receives ? plan.target.bytes() : plan.source.bytes(), transport);
        cut_ = pieces.cut;
        places_.resize(index(receives ? pieces.under_way : 0));
        for (Place& place : places_) {
            const auto senders = std::ssize(plan.senders);
            place.memory = arena.make<std::byte>(cut_.size > 0 ? senders * cut_.piece : 0);
            place.arrived = transport.device().make_event();
            place.added = transport.device().make_event();
            place.messages.resize(plan.senders.size());
        }
    }

    void send(int times, device::Stream& stream) {
        stream.record(*ready_);
        wire_.wait(*ready_);
        const auto source = device::as_bytes(plan_.source);
        for (std::int64_t piece = 0; piece < times * cut_.count(); ++piece) {
            const Outgoing message{plan_.receiver,
                                   source.part(cut_.first(piece), cut_.length(piece))};
            nccl_.exchange({&message, 1}, {}, wire_);
        }
        wire_.synchronize();
    }
    void begin(int /*times*/, device::Stream& /*stream*/) { piece_ = 0; }
    [[nodiscard]] device::View<const std::byte> take(std::size_t sender, device::Stream& stream) {
        Place& place = this_place();
        if (sender == 0) {
            receive(place);
            stream.wait(*place.arrived);
        }
        return place.messages[sender].data;
    }
    void used(std::size_t sender, device::Stream& stream) {
        if (sender + 1 == plan_.senders.size()) {
            stream.record(*this_place().added);
            ++piece_;
        }
    }
    void end(device::Stream& stream) {
        stream.synchronize();
        wire_.synchronize();
    }
    [[nodiscard]] Cut cut() const { return cut_; }

  private:
    struct Place {
        device::Buffer<std::byte> memory;  ///< a piece of each sender
        std::unique_ptr<device::Event> arrived;
        std::unique_ptr<device::Event> added;
        std::vector<Incoming> messages;
    };

    Place& this_place() { return places_[index(piece_) % places_.size()]; }
    void receive(Place& place) {
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            place.messages[sender] = {
                plan_.senders[sender],
                place.memory.view().part(static_cast<std::int64_t>(sender) * cut_.piece,
                                         cut_.length(piece_))};
        }
        wire_.wait(*place.added);
        nccl_.exchange({}, place.messages, wire_);
        wire_.record(*place.arrived);
    }

    PushPlan plan_;
    NcclCommunicator& nccl_;
    device::Stream& wire_;
    Cut cut_;
    std::vector<Place> places_;             ///< a receiver's
    std::unique_ptr<device::Event> ready_;  ///< reached when earlier work is done
    std::int64_t piece_ = 0;
};

// From this version on NCCL lets ranks share a GPU if NCCL_MULTI_RANK_GPU_ENABLE says so.
constexpr int version_with_shared_gpus = 23000;

/// NCCL's own all-gather, for parts of equal size.
class NcclAllGather final : public Collective {
  public:
    NcclAllGather(const AllGatherPlan& plan, NcclCommunicator& nccl)
        : mine_(plan.mine), all_(plan.all), nccl_(nccl) {}

    void run(device::Stream& stream) override { nccl_.all_gather(mine_, all_, stream); }

  private:
    device::View<const std::byte> mine_;
    device::View<std::byte> all_;
    NcclCommunicator& nccl_;
};

/// NVIDIA's library: kernels that move the data over NVLink, PCIe or the network, on the stream
/// that computes. Payloads of queues go by MPI from and to the host's memory: both ranks would have
/// to enqueue NCCL's sends and receives in the same order, but nobody knows which item comes to a
/// queue next. Messages have no lanes: operations follow one another.
class NcclTransport final : public Transport {
  public:
    explicit NcclTransport(const TransportContext& context)
        : Transport(context, nccl_traits),
          nccl_(comm(), *context.device.accelerator()),
          payloads_(make_mpi_transport(context)),
          wire_(device().make_stream("nccl", device::StreamKind::transfer)),
          ordered_(device().make_event()) {}

    [[nodiscard]] std::string description() const override {
        const int version = nccl_.library().version();
        return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    }
    [[nodiscard]] Transport& for_payloads() override { return *payloads_; }

    // The stream orders the messages: the CPU does not wait.
    Ticket start(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming,
                 device::Stream& stream) override {
        nccl_.exchange(outgoing, incoming, stream);
        const auto known = std::ranges::find(streams_, &stream);
        const auto slot = static_cast<int>(known - streams_.begin());
        if (known == streams_.end()) {
            streams_.push_back(&stream);
        }
        return {slot};
    }
    std::unique_ptr<Push> prepare_push(device::Arena& arena, const PushPlan& plan) override {
        return std::make_unique<PushByReceiver<NcclPieces>>(arena, *this, plan, nccl_, *wire_);
    }
    std::unique_ptr<Collective> prepare_all_gather(device::Arena& arena,
                                                   const AllGatherPlan& plan) override {
        const bool equal = std::ranges::adjacent_find(plan.counts, std::ranges::not_equal_to()) ==
                           plan.counts.end();
        if (equal) {
            return std::make_unique<NcclAllGather>(plan, nccl_);
        }
        return Transport::prepare_all_gather(arena, plan);
    }

  private:
    void finish(int slot, device::Stream& user) override {
        device::Stream* const stream = streams_[index(slot)];
        if (stream != &user) {
            stream->record(*ordered_);
            user.wait(*ordered_);
        }
    }

    NcclCommunicator nccl_;
    std::unique_ptr<Transport> payloads_;
    std::unique_ptr<device::Stream> wire_;
    std::unique_ptr<device::Event> ordered_;
    std::vector<device::Stream*> streams_;  ///< of messages so far
};

/// Why NCCL would refuse ranks that share a GPU. It refuses them unless each claims to be on its
/// own host, or newer versions are told to allow it.
std::optional<std::string> why_no_sharing(const TransportContext& context) {
    Environment environment;
    const bool allowed = load_nccl()->version() >= version_with_shared_gpus &&
                         environment.get("NCCL_MULTI_RANK_GPU_ENABLE") == "1";
    if (context.world.all(allowed)) {
        return std::nullopt;
    }
    auto places = gpus_of_ranks(context);
    const auto hosts = context.world.gather(environment.get("NCCL_HOSTID").value_or(""));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        places[rank] += " " + hosts[rank];
    }
    if (!any_shared(places)) {
        return std::nullopt;
    }
    return "transport nccl needs a GPU for each rank (some share one): use --transport ipc or "
           "staged, or, only to check results, give each rank an NCCL_HOSTID of its own and "
           "NCCL_SOCKET_IFNAME=lo";
}

std::optional<std::string> why_no_nccl(const TransportContext& context) {
    std::optional<std::string> no_library;
    try {
        load_nccl();
    } catch (const Unavailable& unavailable) {
        no_library = unavailable.what();
    }
    no_library = context.world.first(no_library);
    return no_library ? no_library : why_no_sharing(context);
}

}  // namespace

TransportKind nccl_transport() {
    return {nccl_traits, why_no_nccl, make_transport<NcclTransport>};
}

}  // namespace quartet::comm
