#include "stream/library_push.hpp"

#include "device/vector_operations.hpp"

namespace quartet::stream {

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

}  // namespace quartet::stream
