#include "comm/transport/grpc/grpc_traits.hpp"

namespace quartet::comm {

TransportKind grpc_transport() {
    return {.traits = grpc_traits,
            .absence =
                "not available in this build: transport grpc (gRPC's C++ library was not "
                "found: install libgrpc++-dev)"};
}

}  // namespace quartet::comm
