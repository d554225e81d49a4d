#include "comm/transport/nccl/nccl_traits.hpp"

namespace quartet::comm {

TransportKind nccl_transport() {
    return {.traits = nccl_traits,
            .absence =
                "not available in this build: transport nccl (NCCL was not found: NCCL_ROOT "
                "may name it)"};
}

}  // namespace quartet::comm
