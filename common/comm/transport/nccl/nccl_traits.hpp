#pragma once

#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// Traits of the transport by NVIDIA's library; the same in a build without it.
inline constexpr TransportTraits nccl_traits{
    .name = "nccl", .memory = TransportMemory::gpu, .shared_gpus = SharedGpus::for_checks_only};

}  // namespace quartet::comm
