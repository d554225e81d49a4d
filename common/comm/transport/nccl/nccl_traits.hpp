#pragma once

#include <algorithm>
#include <limits>

#include "comm/transport/mpi/mpi_payload_channel.hpp"
#include "comm/transport/support/chunks.hpp"
#include "comm/transport/support/message_collectives.hpp"
#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

/// Chunks of each sender under way at a time: one to be added while the next arrives.
inline constexpr int nccl_push_depth = 2;

constexpr Bytes nccl_chunk(const TransportSettings& settings) {
    constexpr std::int64_t step = sizeof(float);
    return settings.pipeline == Pipeline::on
               ? Bytes{std::max(settings.chunk.value / step * step, step)}
               : Bytes{std::numeric_limits<std::int64_t>::max() / step * step};
}

/// NVIDIA's library. The same where the build has none.
inline constexpr TransportTraits nccl_traits{
    .name = "nccl",
    .capabilities = all_capabilities,
    .memory = TransportMemory::gpu,
    .shared_gpus = SharedGpus::for_checks_only,
    .push_memory =
        [](const IncomingPushes& pushes, const OperationContext& here) {
            const Chunks chunks(pushes.size.value, nccl_chunk(here.settings));
            return nccl_push_depth * pushes.senders * chunks.largest();
        },
    .reduce_scatter_memory =
        [](int ranks, Bytes mine, const OperationContext&) {
            return message_reduce_scatter_memory(ranks, mine);
        },
    .payload_memory =
        [](const PayloadChannelPlan& plan, const OperationContext& here) {
            return mpi_payload_memory(plan, here.settings);
        },
};

}  // namespace quartet::comm
