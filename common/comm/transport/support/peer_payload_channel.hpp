#pragma once

#include <memory>

#include "comm/transport/payload_channel.hpp"
#include "comm/windows/peer_memory.hpp"

namespace quartet::comm {

/// The memory of such a channel's outgoing slots on this rank; others it has none.
Bytes peer_payload_bytes(const PayloadChannelPlan& plan);

/// The same as PayloadMemory, by the plan's place; payloads on the host are in windows.
PayloadMemory peer_payload_memory(const PayloadChannelPlan& plan);

/// Payloads stay where they are: receivers read the senders' slots in place. `outgoing` is of
/// peer_payload_bytes(plan) and of `memory`, which outlives the channel. Making and destroying it
/// is collective.
std::unique_ptr<PayloadChannel> make_peer_payload_channel(const PayloadChannelPlan& plan,
                                                          device::Allocation outgoing,
                                                          const PeerMemory& memory);

}  // namespace quartet::comm
