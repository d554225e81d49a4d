#include "stream/push.hpp"

#include "bench/session/arena.hpp"
#include "device/vector_operations.hpp"
#include "flow/queue.hpp"

namespace quartet::stream {

namespace {

// The receiver reads one payload while the next is announced.
constexpr int payloads_in_flight = 2;

/// The push through a bounded queue that the receiver owns: what the paper's data flow costs beside
/// a direct push. Each push is an item; the receiver dequeues one, adds it to its vector, each
/// piece while the next one comes, and dequeues the next. Vectors in a GPU's memory are copied out
/// into each payload, and copied in from it, whole.
class DataflowPush final : public comm::Push {
  public:
    /// A payload on the GPU, beside what the queue allocates. Local.
    static device::Buffer<float> received(bench::Arena& arena, const device::Device& device,
                                          bool receives, std::int64_t elements);
    static flow::QueuePlan queue_plan(const std::vector<int>& senders, int receiver, Bytes size,
                                      int bound, const device::Device& device);

    /// Borrows all. On the host the source's values are copied now. Collective over all ranks.
    DataflowPush(const comm::PushPlan& plan, comm::Transport& transport, device::Device& device,
                 const comm::Communicator& world, Bytes size, int bound);

    void run(int count, device::Stream& stream) override;

  private:
    void post_from_host();
    void receive(const flow::Item& item, device::Stream& stream);
    void send(std::int64_t push, device::Stream& stream);

    comm::PushPlan plan_;
    device::Device& device_;
    int rank_;
    Bytes size_;
    flow::Hub hub_;
    flow::Queue queue_;
    bool on_gpu_;
    device::Buffer<float> received_;
};

device::Buffer<float> DataflowPush::received(bench::Arena& arena, const device::Device& device,
                                             bool receives, std::int64_t elements) {
    const bool on_gpu = device.memory_kind() == device::MemoryKind::device;
    return arena.make<float>(receives && on_gpu ? elements : 0);
}

flow::QueuePlan DataflowPush::queue_plan(const std::vector<int>& senders, int receiver, Bytes size,
                                         int bound, const device::Device& device) {
    const bool on_host = !device::has_own_memory(device);
    return {.owner = receiver,
            .pushers = senders,
            .bound = bound,
            .largest = size,
            .order = flow::DequeueOrder::arrival,
            .outgoing = payloads_in_flight,
            .reading = on_host ? comm::PayloadReading::in_pieces : comm::PayloadReading::whole,
            .values = on_host ? comm::PayloadValues::same : comm::PayloadValues::differ};
}

DataflowPush::DataflowPush(const comm::PushPlan& plan, comm::Transport& transport,
                           device::Device& device, const comm::Communicator& world, Bytes size,
                           int bound)
    : plan_(plan),
      device_(device),
      rank_(world.rank()),
      size_(size),
      hub_(world),
      queue_(hub_, transport, queue_plan(plan.senders, plan.receiver, size, bound, device)),
      on_gpu_(device.memory_kind() == device::MemoryKind::device) {
    bench::Arena arena(device);
    received_ = received(arena, device, rank_ == plan.receiver, plan.target.size());
    if (!on_gpu_ && plan.sends(rank_)) {
        post_from_host();
    }
}

// The source lies in the payloads from the beginning, so that a push need not copy it first.
void DataflowPush::post_from_host() {
    const auto stream = device_.make_stream("fill");
    for (int place = 0; place < payloads_in_flight; ++place) {
        device_.copy(device::as_bytes(plan_.source), queue_.outgoing(place), *stream);
    }
    stream->synchronize();
}

void DataflowPush::run(int count, device::Stream& stream) {
    if (rank_ == plan_.receiver) {
        for (auto items = queue_.dequeue(1); !items.empty(); items = queue_.dequeue(1)) {
            receive(items.front(), stream);
        }
    } else if (plan_.sends(rank_)) {
        for (int push = 0; push < count; ++push) {
            send(push, stream);
        }
        queue_.close();
    }
}

void DataflowPush::receive(const flow::Item& item, device::Stream& stream) {
    queue_.read(item, [&](std::int64_t first, const device::View<const std::byte>& piece) {
        auto values = device::view_as<float>(piece);
        if (on_gpu_) {
            device_.copy(piece, device::as_bytes(received_.view()), stream);
            values = received_.view();
        }
        const auto target = device::as_bytes(plan_.target).part(first, piece.size());
        device_.vectors().add(values, device::view_as<float>(target), stream);
        stream.synchronize();
    });
}

void DataflowPush::send(std::int64_t push, device::Stream& stream) {
    const auto payload = queue_.next();
    if (on_gpu_) {
        device_.copy(device::as_bytes(plan_.source), payload, stream);
        stream.synchronize();
    }
    queue_.push(push, size_);
}

/// The push in plain MPI: a blocking send, a blocking receive into a second vector, then the
/// addition.
class LibraryPush final : public comm::Push {
  public:
    /// The second vector. Local.
    static device::Buffer<float> received(bench::Arena& arena, bool receives,
                                          std::int64_t elements) {
        return arena.make<float>(receives ? elements : 0);
    }

    /// `transport` can send and receive; `rank` is this rank. Borrows all. Local.
    LibraryPush(const comm::PushPlan& plan, comm::Transport& transport, device::Device& device,
                int rank);

    void run(int count, device::Stream& stream) override;

  private:
    comm::PushPlan plan_;
    comm::Transport& transport_;
    device::Device& device_;
    int rank_;
    device::Buffer<float> received_;
};

LibraryPush::LibraryPush(const comm::PushPlan& plan, comm::Transport& transport,
                         device::Device& device, int rank)
    : plan_(plan), transport_(transport), device_(device), rank_(rank) {
    bench::Arena arena(device);
    received_ = received(arena, rank == plan.receiver, plan.target.size());
}

void LibraryPush::run(int count, device::Stream& stream) {
    const device::View<const std::byte> nothing;
    if (rank_ == plan_.receiver) {
        for (int push = 0; push < count; ++push) {
            for (const int sender : plan_.senders) {
                transport_.receive(device::as_bytes(received_.view()), sender, stream);
                device_.vectors().add(received_.view(), plan_.target, stream);
            }
        }
        stream.synchronize();
        for (const int sender : plan_.senders) {
            transport_.send(nothing, sender, stream);
        }
    } else if (plan_.sends(rank_)) {
        for (int push = 0; push < count; ++push) {
            transport_.send(device::as_bytes(plan_.source), plan_.receiver, stream);
        }
        transport_.receive({}, plan_.receiver, stream);
    }
}

}  // namespace

void require_usable(bench::Formulation formulation, const comm::Transport& transport) {
    if (formulation == bench::Formulation::dataflow) {
        comm::require(transport, comm::Capability::payload_channel, "formulation dataflow");
    }
    if (formulation == bench::Formulation::library) {
        comm::require(transport, comm::Capability::send_receive, "formulation library");
    }
}

std::unique_ptr<comm::Push> make_push(bench::Formulation formulation, const comm::PushPlan& plan,
                                      bench::Session& session, comm::Transport& transport,
                                      Bytes size) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            return std::make_unique<DataflowPush>(plan, transport, session.device(),
                                                  session.world(), size, session.options().queue);
        case bench::Formulation::library:
            return std::make_unique<LibraryPush>(plan, transport, session.device(),
                                                 session.world().rank());
        case bench::Formulation::native:
            break;
    }
    return transport.prepare_push(plan);
}

void count_push(bench::Arena& arena, bench::Session& session, const bench::Variant& variant,
                const Problem& problem) {
    const int rank = session.world().rank();
    const bool receives = problem.receives(rank);
    const comm::OperationMemory transport = bench::operation_memory(session, variant.transport);
    switch (variant.formulation) {
        case bench::Formulation::dataflow:
            DataflowPush::received(arena, session.device(), receives, problem.elements());
            arena.count(flow::queue_memory(
                DataflowPush::queue_plan(problem.route.senders, problem.route.receiver,
                                         problem.size, session.options().queue, session.device()),
                transport, rank));
            break;
        case bench::Formulation::library:
            LibraryPush::received(arena, receives, problem.elements());
            break;
        case bench::Formulation::native:
            if (receives) {
                arena.count(transport.push({problem.senders(), problem.size}), bench::Room::device);
            }
            break;
    }
}

}  // namespace quartet::stream
