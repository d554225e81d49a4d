#pragma once

#include "comm/transport/transport_traits.hpp"

namespace quartet::comm {

/// NVIDIA's library. The same where the build has none.
inline constexpr TransportTraits nccl_traits{
    .name = "nccl",
    .capabilities = Capabilities::all(),
    .memory = TransportMemory::gpu,
    .chunking = Chunking::pipelined,
    .shared_gpus = SharedGpus::for_checks_only,
};

}  // namespace quartet::comm
