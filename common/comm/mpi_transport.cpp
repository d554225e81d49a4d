#include <algorithm>
#include <vector>

#include "comm/large_count.hpp"
#include "comm/mpi_session.hpp"
#include "comm/transport_registry.hpp"

namespace quartet::comm {

namespace {

constexpr int data_tag = 1;
constexpr int acknowledgement_tag = 2;

// Pieces of one sender that are under way at a time: one to be added while the next arrives.
constexpr int depth = 2;

// A message's count is an int: without the pipeline a vector travels in pieces of this size.
constexpr std::int64_t largest_message = std::int64_t{1} << 28;

/// Two-sided pushes in pieces. The receiver keeps `depth` receives per sender posted, into staging
/// memory that is small enough to stay in its cache: an addition then reads the piece from there,
/// not from main memory. Pieces of all senders are added in the order of the senders' ranks, so
/// that the sums have the same bits each time.
class MpiPush final : public Push {
  public:
    MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device, Track& track,
            const TransportSettings& settings);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);
    void post_receive(std::size_t sender, std::int64_t piece);

    [[nodiscard]] std::int64_t pieces() const { return (elements_ + piece_ - 1) / piece_; }
    [[nodiscard]] std::int64_t first(std::int64_t piece) const { return piece % pieces() * piece_; }
    [[nodiscard]] std::int64_t size(std::int64_t piece) const {
        return std::min(piece_, elements_ - first(piece));
    }
    [[nodiscard]] std::size_t slot(std::size_t sender, std::int64_t piece) const {
        return sender * static_cast<std::size_t>(slots_) + static_cast<std::size_t>(piece % slots_);
    }
    [[nodiscard]] device::View<float> staged(std::size_t sender, std::int64_t piece) {
        return staging_.view().part(static_cast<std::int64_t>(slot(sender, piece)) * piece_,
                                    size(piece));
    }

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    std::int64_t elements_;
    std::int64_t piece_;  ///< elements of a full piece
    int slots_;           ///< pieces under way per sender
    device::Buffer<float> staging_;
    std::vector<MPI_Request> requests_;
};

std::int64_t piece_elements(std::int64_t elements, const TransportSettings& settings) {
    const std::int64_t wanted =
        settings.pipeline == Pipeline::on
            ? settings.chunk.value / static_cast<std::int64_t>(sizeof(float))
            : largest_message;
    return std::clamp<std::int64_t>(wanted, 1,
                                    std::max<std::int64_t>(std::min(elements, largest_message), 1));
}

MpiPush::MpiPush(const PushPlan& plan, const Communicator& comm, device::Device& device,
                 Track& track, const TransportSettings& settings)
    : plan_(plan),
      comm_(comm),
      device_(device),
      track_(track),
      elements_(comm.rank() == plan.receiver ? plan.target.size() : plan.source.size()),
      piece_(piece_elements(elements_, settings)),
      slots_(settings.pipeline == Pipeline::on ? depth : 1) {
    const bool receives = comm.rank() == plan.receiver;
    const std::size_t streams = receives ? plan.senders.size() : 1;
    requests_.assign(streams * static_cast<std::size_t>(slots_), MPI_REQUEST_NULL);
    if (receives) {
        staging_ = device::allocate<float>(
            device, static_cast<std::int64_t>(requests_.size()) * piece_, device.memory_kind());
    }
}

void MpiPush::run(int count, device::Stream& stream) {
    if (elements_ == 0 || count == 0) {
        return;
    }
    if (comm_.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (std::ranges::find(plan_.senders, comm_.rank()) != plan_.senders.end()) {
        stream.synchronize();
        send_all(count);
    }
}

void MpiPush::send_all(int count) {
    const Span span(track_, Phase::push, "send");
    for (std::int64_t piece = 0; piece < count * pieces(); ++piece) {
        MPI_Request& request = requests_[slot(0, piece)];
        check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE));
        check_mpi(MPI_Isend(plan_.source.data() + first(piece), static_cast<int>(size(piece)),
                            MPI_FLOAT, plan_.receiver, data_tag, comm_.handle(), &request));
    }
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, plan_.receiver, acknowledgement_tag, comm_.handle(),
                       MPI_STATUS_IGNORE));
}

void MpiPush::post_receive(std::size_t sender, std::int64_t piece) {
    check_mpi(MPI_Irecv(staged(sender, piece).data(), static_cast<int>(size(piece)), MPI_FLOAT,
                        plan_.senders[sender], data_tag, comm_.handle(),
                        &requests_[slot(sender, piece)]));
}

void MpiPush::receive_all(int count, device::Stream& stream) {
    const std::int64_t total = count * pieces();
    for (std::int64_t piece = 0; piece < std::min<std::int64_t>(slots_, total); ++piece) {
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            post_receive(sender, piece);
        }
    }
    for (std::int64_t piece = 0; piece < total; ++piece) {
        const auto target = plan_.target.part(first(piece), size(piece));
        for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
            {
                const Span span(track_, Phase::exchange, "receive");
                check_mpi(MPI_Wait(&requests_[slot(sender, piece)], MPI_STATUS_IGNORE));
            }
            device_.vectors().add(staged(sender, piece), target, stream);
            stream.synchronize();  // the slot is free only then
            if (piece + slots_ < total) {
                post_receive(sender, piece + slots_);
            }
        }
    }
    for (const int sender : plan_.senders) {
        check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, sender, acknowledgement_tag, comm_.handle()));
    }
}

/// Two-sided and collective MPI on the device's own memory.
class MpiTransport final : public Transport {
  public:
    explicit MpiTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          device_(context.device),
          settings_(context.settings),
          track_(context.trace.track("mpi")) {}

    [[nodiscard]] std::string_view name() const override { return "mpi"; }
    [[nodiscard]] bool can(Capability) const override { return true; }

    device::Allocation allocate(Bytes size) override {
        return device_.allocate(size, device_.memory_kind());
    }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<MpiPush>(plan, comm_, device_, track_, settings_);
    }

    void send(device::View<const std::byte> data, int to, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::push, "send");
        send_bytes(data.span(), to, data_tag, comm_.handle());
    }

    void receive(device::View<std::byte> data, int from, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "receive");
        receive_bytes(data.span(), from, data_tag, comm_.handle());
    }

    void all_gather(device::View<const std::byte> mine, device::View<std::byte> all,
                    std::span<const std::int64_t> counts, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "all-gather");
        all_gather_bytes(mine.span(), all.span(), counts, comm_.handle());
    }

    void reduce_scatter(device::View<const double> contribution, device::View<double> mine,
                        std::span<const std::int64_t> counts, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::reduce, "reduce-scatter");
        reduce_scatter_sum(contribution.span(), mine.span(), counts, comm_.handle());
    }

    void all_to_all(device::View<const std::byte> send_data,
                    std::span<const std::int64_t> send_counts, device::View<std::byte> receive_data,
                    std::span<const std::int64_t> receive_counts, device::Stream& stream) override {
        stream.synchronize();
        const Span span(track_, Phase::exchange, "all-to-all");
        all_to_all_bytes(send_data.span(), send_counts, receive_data.span(), receive_counts,
                         comm_.handle());
    }

  private:
    Communicator comm_;
    device::Device& device_;
    TransportSettings settings_;
    Track& track_;
};

std::optional<std::string> why_no_mpi(const TransportContext& context) {
    if (context.device.memory_kind() == device::MemoryKind::device) {
        return "this MPI is not known to reach the memory of an accelerator: use --transport "
               "staged";
    }
    return std::nullopt;
}

}  // namespace

TransportKind mpi_transport() {
    return {"mpi", why_no_mpi, [](const TransportContext& context) -> std::unique_ptr<Transport> {
                return std::make_unique<MpiTransport>(context);
            }};
}

}  // namespace quartet::comm
