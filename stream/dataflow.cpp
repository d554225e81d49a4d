#include "device/vector_operations.hpp"
#include "flow/queue.hpp"
#include "stream/plan.hpp"

namespace quartet::stream {

namespace {

// The receiver reads one payload while the next is announced.
constexpr int payloads_in_flight = 2;

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

/// Pushes through a bounded queue that the receiver owns, to show what the paper's data flow costs
/// beside a direct push. Each push is an item. The receiver dequeues one item after another and
/// adds each to its vector, each piece while the next piece arrives. A vector in a GPU's memory is
/// copied as a whole to each payload, and from each payload.
class DataflowPush final : public comm::Push {
  public:
    DataflowPush(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                 const comm::PushPlan& plan, Bytes size)
        : plan_(plan),
          device_(session.device()),
          rank_(session.world().rank()),
          size_(size),
          dispatcher_(arena, session.world()),
          queue_(arena, dispatcher_, transport,
                 queue_plan(plan.senders, plan.receiver, size, session)),
          on_gpu_(device::has_own_memory(device_)),
          received_(arena.make<float>(on_gpu_ ? plan.target.size() : 0)) {}

    void run(int count, device::Stream& stream) override {
        if (rank_ == plan_.receiver) {
            for (auto items = queue_.dequeue(1); !items.empty(); items = queue_.dequeue(1)) {
                receive(items.front(), stream);
            }
        } else if (plan_.sends(rank_)) {
            if (!on_gpu_ && !filled_) {
                post_from_host();
            }
            for (int push = 0; push < count; ++push) {
                send(push, stream);
            }
            queue_.close();
        }
    }

  private:
    // Copies the source to all payloads once, so that no push has to copy it.
    void post_from_host() {
        const auto stream = device_.make_stream("fill");
        for (int place = 0; place < payloads_in_flight; ++place) {
            device_.copy(device::as_bytes(plan_.source), queue_.outgoing(place), *stream);
        }
        stream->synchronize();
        filled_ = true;
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
    flow::MessageDispatcher dispatcher_;
    flow::Queue queue_;
    bool on_gpu_;
    bool filled_ = false;
    device::Buffer<float> received_;  ///< a payload on the receiver's GPU
};

}  // namespace

std::unique_ptr<comm::Push> make_dataflow_push(device::Arena& arena, bench::Session& session,
                                               comm::Transport& transport,
                                               const comm::PushPlan& plan, Bytes size) {
    return std::make_unique<DataflowPush>(arena, session, transport, plan, size);
}

}  // namespace quartet::stream
