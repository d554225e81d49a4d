#include "comm/mpi/large_count.hpp"
#include "comm/transport/staged/staged_operations.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr int all_added_tag = 1;

class StagedPush final : public Push {
  public:
    StagedPush(const PushPlan& plan, const StagedContext& context);

    void run(int count, device::Stream& stream) override;

  private:
    void receive_all(int count, device::Stream& stream);

    PushPlan plan_;
    StagedContext context_;
    StagedTransfers transfers_;
    std::vector<StagedReceive*> receives_;  ///< by sender
};

StagedPush::StagedPush(const PushPlan& plan, const StagedContext& context)
    : plan_(plan), context_(context), transfers_(context) {
    if (context.comm.rank() == plan.receiver) {
        for (const int sender : plan.senders) {
            receives_.push_back(
                &transfers_.add_receive(device::as_bytes(plan.target), sender, Landing::staging));
        }
    } else if (plan.sends(context.comm.rank())) {
        transfers_.add_send(device::as_bytes(plan.source), plan.receiver);
    }
}

void StagedPush::run(int count, device::Stream& stream) {
    if (context_.comm.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (plan_.sends(context_.comm.rank())) {
        transfers_.begin(stream, count);
        transfers_.finish(stream);
        receive_bytes({}, plan_.receiver, all_added_tag, context_.comm.handle());
    }
}

// A chunk of each sender in turn, so that the sums have the same bits each time.
void StagedPush::receive_all(int count, device::Stream& stream) {
    transfers_.begin(stream, count);
    while (!receives_.empty() && !receives_.front()->all_taken()) {
        for (StagedReceive* receive : receives_) {
            transfers_.take(*receive, stream);
            const auto chunk = device::view_as<float>(receive->landed());
            const std::int64_t first = receive->first() / static_cast<std::int64_t>(sizeof(float));
            context_.device.vectors().add(chunk, plan_.target.part(first, chunk.size()), stream);
            receive->used(stream);
        }
    }
    transfers_.finish(stream);
    stream.synchronize();
    for (const int sender : plan_.senders) {
        send_bytes({}, sender, all_added_tag, context_.comm.handle());
    }
}

}  // namespace

std::unique_ptr<Push> make_staged_push(const PushPlan& plan, const StagedContext& context) {
    return std::make_unique<StagedPush>(plan, context);
}

}  // namespace quartet::comm
