#include <fmt/format.h>

#include <algorithm>

#include "comm/mpi/agree.hpp"
#include "comm/mpi/large_count.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "comm/transport/transport_kind.hpp"
#include "comm/windows/window_pool.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits rma_traits{
    .name = "rma",
    .capabilities = {Capability::push},
    .memory = TransportMemory::host,
    .location = PartLocation::at_sender,
    .windows = WindowKind::remote,
};

constexpr int ready_tag = 1;
constexpr int done_tag = 2;

/// One-sided pushes: each sender adds its vector to the receiver's window by MPI_Accumulate, in
/// chunks, and flushes once a push.
class RmaPush final : public Push {
  public:
    RmaPush(const PushPlan& plan, WindowPool& pool, const Communicator& comm, Track& track,
            const TransportSettings& settings);

    void run(int count, device::Stream& stream) override;

  private:
    void admit_all();
    void push_all(int count);
    void await_all();

    PushPlan plan_;
    const Communicator& comm_;
    Track& track_;
    MPI_Win window_;
    MPI_Aint displacement_;
    std::int64_t chunk_;
};

RmaPush::RmaPush(const PushPlan& plan, WindowPool& pool, const Communicator& comm, Track& track,
                 const TransportSettings& settings)
    : plan_(plan), comm_(comm), track_(track) {
    const auto target = device::as_bytes(plan.target);
    const auto places = pool.exchange(pool.address_of(target.data(), target.size()));
    const auto& place = places[static_cast<std::size_t>(plan.receiver)];
    const Window& window = pool.window(place.window);
    window_ = window.handle();
    displacement_ = window.displacement_of(plan.receiver) + place.offset;
    const auto elements = static_cast<std::int64_t>(sizeof(float));
    constexpr std::int64_t largest_count = std::int64_t{1} << 28;
    chunk_ = settings.pipeline == Pipeline::on
                 ? std::max<std::int64_t>(settings.chunk.value / elements, 1)
                 : largest_count;
    chunk_ = std::min(chunk_, largest_count);
}

void RmaPush::run(int count, device::Stream& stream) {
    stream.synchronize();
    if (comm_.rank() == plan_.receiver) {
        admit_all();
        await_all();
    } else if (plan_.sends(comm_.rank())) {
        push_all(count);
    }
}

// Once a run: nothing may be added before the receiver's earlier work on the target is done.
void RmaPush::admit_all() {
    check_mpi(MPI_Win_sync(window_));
    for (const int sender : plan_.senders) {
        send_bytes({}, sender, ready_tag, comm_.handle());
    }
}

void RmaPush::push_all(int count) {
    const Span span(track_, Phase::push, "accumulate");
    receive_bytes({}, plan_.receiver, ready_tag, comm_.handle());
    for (int push = 0; push < count; ++push) {
        for (std::int64_t first = 0; first < plan_.source.size(); first += chunk_) {
            const auto size = static_cast<int>(std::min(chunk_, plan_.source.size() - first));
            const auto place = displacement_ + static_cast<MPI_Aint>(bytes_of<float>(first).value);
            check_mpi(MPI_Accumulate(plan_.source.data() + first, size, MPI_FLOAT, plan_.receiver,
                                     place, size, MPI_FLOAT, MPI_SUM, window_));
        }
        check_mpi(MPI_Win_flush(plan_.receiver, window_));
    }
    send_bytes({}, plan_.receiver, done_tag, comm_.handle());
}

// Waiting inside MPI lets it make progress on the accumulates if the network needs our help.
void RmaPush::await_all() {
    const Span span(track_, Phase::wait, "accumulate");
    for (const int sender : plan_.senders) {
        receive_bytes({}, sender, done_tag, comm_.handle());
    }
    check_mpi(MPI_Win_sync(window_));
}

/// MPI's one-sided operations on windows that MPI allocates.
class RmaTransport final : public Transport {
  public:
    explicit RmaTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          pool_(WindowKind::remote, comm_),
          track_(context.trace.track("rma")),
          settings_(context.settings) {}

    [[nodiscard]] const TransportTraits& traits() const override { return rma_traits; }

    [[nodiscard]] std::string description() const override {
        return "within a node the sender's core adds, not the receiver's";
    }

    device::Allocation allocate(Bytes size) override { return pool_.allocate(size); }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        return std::make_unique<RmaPush>(plan, pool_, comm_, track_, settings_);
    }

  private:
    Communicator comm_;
    WindowPool pool_;
    Track& track_;
    TransportSettings settings_;
};

// Some MPI set-ups cannot create windows, or fail at the first operation: try before promising.
std::optional<std::string> probe(const Communicator& world) {
    std::optional<std::string> problem;
    try {
        const Window window(WindowKind::remote, bytes_of<float>(1), world);
        // Agreed before the window goes: freeing it is collective.
        problem = first_problem(world, [&] {
            const int neighbour = (world.rank() + 1) % world.size();
            const float one = 1;
            check_mpi(MPI_Accumulate(&one, 1, MPI_FLOAT, neighbour,
                                     window.displacement_of(neighbour), 1, MPI_FLOAT, MPI_SUM,
                                     window.handle()));
            check_mpi(MPI_Win_flush(neighbour, window.handle()));
        });
    } catch (const Failure& failure) {  // of the window itself, on all ranks
        problem = failure.what();
    }
    if (!problem) {
        return std::nullopt;
    }
    return fmt::format(
        "transport rma needs MPI windows ({}): try another one-sided component, such as "
        "OMPI_MCA_osc=pt2pt with Open MPI 4",
        *problem);
}

std::optional<std::string> why_no_rma(const TransportContext& context) {
    if (const auto problem = context.world.first(missing_backing_folder(WindowKind::remote))) {
        return problem;
    }
    return probe(context.world);
}

}  // namespace

TransportKind rma_transport() {
    return {rma_traits, why_no_rma, make_transport<RmaTransport>};
}

}  // namespace quartet::comm
