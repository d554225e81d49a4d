#include "device/vector_operations.hpp"
#include "flow/queue.hpp"
#include "stream/plan.hpp"

namespace quartet::stream {

namespace {

// The receiver reads one payload while the next is announced.
constexpr int payloads_in_flight = 2;

// A payload on the receiver's GPU, beside what the queue allocates.
device::Buffer<float> received(bench::Arena& arena, const device::Device& device,
                               std::int64_t elements) {
    return arena.make<float>(device::has_own_memory(device) ? elements : 0);
}

flow::QueuePlan queue_plan(const std::vector<int>& senders, int receiver, Bytes size,
                           bench::Session& session) {
    const bool on_host = !device::has_own_memory(session.device());
    return {.owner = receiver,
            .pushers = senders,
            .bound = session.options().queue,
            .largest = size,
            .order = flow::DequeueOrder::arrival,
            .outgoing = payloads_in_flight,
            .reading = on_host ? comm::PayloadReading::in_pieces : comm::PayloadReading::whole,
            .values = on_host ? comm::PayloadValues::same : comm::PayloadValues::differ};
}

/// The push through a bounded queue that the receiver owns: what the paper's data flow costs beside
/// a direct push. Each push is an item; the receiver dequeues one, adds it to its vector, each
/// piece while the next one comes, and dequeues the next. Vectors in a GPU's memory are copied out
/// into each payload, and copied in from it, whole.
class DataflowPush final : public comm::Push {
  public:
    /// On the host the source's values are copied now.
    DataflowPush(bench::Session& session, comm::Transport& transport, const comm::PushPlan& plan,
                 Bytes size)
        : plan_(plan),
          device_(session.device()),
          rank_(session.world().rank()),
          size_(size),
          hub_(session.world()),
          queue_(hub_, transport, queue_plan(plan.senders, plan.receiver, size, session)),
          on_gpu_(device::has_own_memory(device_)) {
        bench::Arena arena(device_);
        received_ = received(arena, device_, plan.target.size());
        if (!on_gpu_ && plan.sends(rank_)) {
            post_from_host();
        }
    }

    void run(int count, device::Stream& stream) override {
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

  private:
    // The source lies in the payloads from the beginning, so that a push need not copy it first.
    void post_from_host() {
        const auto stream = device_.make_stream("fill");
        for (int place = 0; place < payloads_in_flight; ++place) {
            device_.copy(device::as_bytes(plan_.source), queue_.outgoing(place), *stream);
        }
        stream->synchronize();
    }

    void receive(const flow::Item& item, device::Stream& stream) {
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

    void send(std::int64_t push, device::Stream& stream) {
        const auto payload = queue_.next();
        if (on_gpu_) {
            device_.copy(device::as_bytes(plan_.source), payload, stream);
            stream.synchronize();
        }
        queue_.push(push, size_);
    }

    comm::PushPlan plan_;
    device::Device& device_;
    int rank_;
    Bytes size_;
    flow::Hub hub_;
    flow::Queue queue_;
    bool on_gpu_;
    device::Buffer<float> received_;
};

}  // namespace

std::unique_ptr<comm::Push> make_dataflow_push(bench::Session& session, comm::Transport& transport,
                                               const comm::PushPlan& plan, Bytes size) {
    return std::make_unique<DataflowPush>(session, transport, plan, size);
}

void count_dataflow_push(bench::Arena& arena, bench::Session& session, const std::string& transport,
                         const Problem& problem) {
    const int rank = session.world().rank();
    received(arena, session.device(), problem.receives(rank) ? problem.elements() : 0);
    arena.count(
        flow::queue_memory(queue_plan(problem.senders, problem.receiver, problem.size, session),
                           bench::operation_memory(session, transport), rank));
}

}  // namespace quartet::stream
