#include "device/vector_operations.hpp"
#include "stream/plan.hpp"

namespace quartet::stream {

namespace {

/// The push in plain MPI: a blocking send, a blocking receive into a second vector, then the
/// addition.
class LibraryPush final : public comm::Push {
  public:
    LibraryPush(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                const comm::PushPlan& plan)
        : plan_(plan),
          transport_(transport),
          device_(session.device()),
          rank_(session.world().rank()),
          received_(arena.make<float>(plan.target.size())) {}

    void run(int count, device::Stream& stream) override {
        if (rank_ == plan_.receiver) {
            for (int push = 0; push < count; ++push) {
                for (const int sender : plan_.senders) {
                    transport_.receive(device::as_bytes(received_.view()), sender, stream);
                    device_.vectors().add(received_.view(), plan_.target, stream);
                }
            }
            stream.synchronize();
            for (const int sender : plan_.senders) {
                transport_.send({}, sender, stream);
            }
        } else if (plan_.sends(rank_)) {
            for (int push = 0; push < count; ++push) {
                transport_.send(device::as_bytes(plan_.source), plan_.receiver, stream);
            }
            transport_.receive({}, plan_.receiver, stream);
        }
    }

  private:
    comm::PushPlan plan_;
    comm::Transport& transport_;
    device::Device& device_;
    int rank_;
    device::Buffer<float> received_;
};

}  // namespace

std::unique_ptr<comm::Push> make_library_push(device::Arena& arena, bench::Session& session,
                                              comm::Transport& transport,
                                              const comm::PushPlan& plan) {
    return std::make_unique<LibraryPush>(arena, session, transport, plan);
}

}  // namespace quartet::stream
