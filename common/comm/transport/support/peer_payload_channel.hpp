#pragma once

#include <memory>

#include "comm/transport/payload_channel.hpp"
#include "comm/windows/window_pool.hpp"

namespace quartet::comm {

/// Memory of such a channel's outgoing slots on this rank; it has no other.
PayloadMemory peer_payload_memory(const PayloadChannelPlan& plan);

/// Payloads stay where they are: receivers read the senders' slots in place, in `windows`, which
/// outlive the channel. Making and destroying it is collective.
std::unique_ptr<PayloadChannel> make_peer_payload_channel(const PayloadChannelPlan& plan,
                                                          WindowPool& windows);

}  // namespace quartet::comm
