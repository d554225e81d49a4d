#include "comm/transport/nccl/nccl_push.hpp"

#include "comm/mpi/large_count.hpp"
#include "comm/transport/nccl/nccl_traits.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr int acknowledgement_tag = 1;

}  // namespace

NcclPush::NcclPush(const PushPlan& plan, const NcclPushContext& context)
    : plan_(plan),
      context_(context),
      receives_(context.comm.rank() == plan.receiver),
      chunks_(receives_ ? plan.target.bytes().value : plan.source.bytes().value,
              context.largest_chunk),
      ready_(context.device.make_event()) {
    if (!receives_) {
        return;
    }
    places_.resize(nccl_push_depth);
    for (Place& place : places_) {
        const auto senders = std::ssize(plan.senders);
        place.memory =
            device::allocate<std::byte>(context.device, senders * chunks_.largest().value);
        place.arrived = context.device.make_event();
        place.added = context.device.make_event();
        place.messages.resize(plan.senders.size());
    }
}

void NcclPush::run(int count, device::Stream& stream) {
    if (chunks_.count() == 0) {
        return;
    }
    if (receives_) {
        receive_all(count, stream);
    } else if (plan_.sends(context_.comm.rank())) {
        send_all(count, stream);
    }
}

void NcclPush::send_all(int count, device::Stream& stream) {
    stream.record(*ready_);
    context_.wire.wait(*ready_);
    const auto source = device::as_bytes(plan_.source);
    for (std::int64_t chunk = 0; chunk < count * chunks_.count(); ++chunk) {
        const Messages::Outgoing message{
            plan_.receiver, source.part(chunks_.first(chunk), chunks_.size(chunk).value)};
        context_.nccl.exchange({&message, 1}, {}, context_.wire);
    }
    context_.wire.synchronize();
    receive_bytes({}, plan_.receiver, acknowledgement_tag, context_.comm.handle());
}

void NcclPush::receive_all(int count, device::Stream& stream) {
    for (std::int64_t chunk = 0; chunk < count * chunks_.count(); ++chunk) {
        Place& place = places_[static_cast<std::size_t>(chunk) % places_.size()];
        receive(place, chunk);
        add(place, chunk, stream);
    }
    stream.synchronize();
    context_.wire.synchronize();
    for (const int sender : plan_.senders) {
        send_bytes({}, sender, acknowledgement_tag, context_.comm.handle());
    }
}

void NcclPush::receive(Place& place, std::int64_t chunk) {
    const std::int64_t size = chunks_.size(chunk).value;
    for (std::size_t sender = 0; sender < plan_.senders.size(); ++sender) {
        place.messages[sender] = {
            plan_.senders[sender],
            place.memory.view().part(static_cast<std::int64_t>(sender) * chunks_.largest().value,
                                     size)};
    }
    context_.wire.wait(*place.added);
    context_.nccl.exchange({}, place.messages, context_.wire);
    context_.wire.record(*place.arrived);
}

void NcclPush::add(Place& place, std::int64_t chunk, device::Stream& stream) {
    constexpr auto element = static_cast<std::int64_t>(sizeof(float));
    stream.wait(*place.arrived);
    for (const Messages::Incoming& message : place.messages) {
        const auto values = device::view_as<float>(message.data);
        context_.device.vectors().add(
            values, plan_.target.part(chunks_.first(chunk) / element, values.size()), stream);
    }
    stream.record(*place.added);
}

}  // namespace quartet::comm
