#pragma once

#include <memory>

#include "comm/transport/shared/payload_channel.hpp"
#include "comm/transport/shared/window_pool.hpp"

namespace quartet::comm {

/// What such a channel allocates: its outgoing slots.
PayloadMemory shm_payload_memory(const PayloadChannelPlan& plan);

/// Payloads stay where they are: receivers read the senders' slots in shared windows. Making and
/// destroying it is collective; the pool outlives it.
std::unique_ptr<PayloadChannel> make_shm_payload_channel(const PayloadChannelPlan& plan,
                                                         WindowPool& pool);

}  // namespace quartet::comm
