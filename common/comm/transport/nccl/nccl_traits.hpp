#pragma once

#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// NVIDIA's library. The same where the build has none.
inline constexpr TransportTraits nccl_traits{
    .name = "nccl", .memory = TransportMemory::gpu, .shared_gpus = SharedGpus::for_checks_only};

}  // namespace quartet::comm
