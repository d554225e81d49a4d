#include "comm/transport/support/peer_push.hpp"

#include <algorithm>
#include <new>

#include "comm/transport/support/shared_flag.hpp"
#include "device/vector_operations.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

/// A sender's and the receiver's progress, each alone on its cache line in the sender's part of a
/// shared window: how many pushes have been posted, and how many have been added.
struct PushFlags {
    alignas(system::line_spacing) SharedFlag posted;
    alignas(system::line_spacing) SharedFlag added;
};

PeerPush::PeerPush(const PushPlan& plan, const PeerMemory& memory, WindowPool& flags,
                   const Communicator& comm, device::Device& device, Track& track)
    : plan_(plan),
      comm_(comm),
      device_(device),
      track_(track),
      flag_memory_(flags.allocate(bytes_of<PushFlags>(1))) {
    ::new (static_cast<void*>(flag_memory_.data.get())) PushFlags{};
    const auto sources = memory.of_all(device::as_bytes(plan.source));
    const Window& window = flags.newest();
    for (const int sender : plan.senders) {
        const auto& source = sources[static_cast<std::size_t>(sender)];
        flags_.push_back(reinterpret_cast<PushFlags*>(window.part_of(sender)));
        sources_.push_back(device::view_as<float>(source));
    }
    comm.barrier();  // every sender's flags are there
}

void PeerPush::run(int count, device::Stream& stream) {
    if (comm_.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (plan_.sends(comm_.rank())) {
        stream.synchronize();
        send_all(count);
    }
    done_ += count;
}

void PeerPush::send_all(int count) {
    const Span span(track_, Phase::push, "post");
    const auto index = std::ranges::find(plan_.senders, comm_.rank()) - plan_.senders.begin();
    PushFlags& flags = *flags_[static_cast<std::size_t>(index)];
    for (std::int64_t push = done_ + 1; push <= done_ + count; ++push) {
        // What the sender's threads have written: synchronising the stream has ordered it before.
        flags.posted.store(push, std::memory_order_release);
    }
    wait_until(flags.added, done_ + count);
}

void PeerPush::receive_all(int count, device::Stream& stream) {
    for (std::int64_t push = done_ + 1; push <= done_ + count; ++push) {
        for (std::size_t sender = 0; sender < sources_.size(); ++sender) {
            {
                const Span span(track_, Phase::wait, "post");
                wait_until(flags_[sender]->posted, push);
            }
            device_.vectors().add(sources_[sender], plan_.target, stream);
        }
    }
    stream.synchronize();
    for (PushFlags* flags : flags_) {
        // A release orders loads, too: the sender may now change what has been read.
        flags->added.store(done_ + count, std::memory_order_release);
    }
}

}  // namespace quartet::comm
