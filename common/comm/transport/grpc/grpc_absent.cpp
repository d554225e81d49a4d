#include "comm/transport/grpc/grpc_transport.hpp"

namespace quartet::comm {

namespace {

constexpr const char* reason =
    "not available in this build: transport grpc (gRPC's C++ library was not found: install "
    "libgrpc++-dev and protobuf-compiler-grpc)";

}  // namespace

TransportKind grpc_transport() {
    return {
        "grpc", [](const TransportContext&) { return std::optional<std::string>(reason); },
        [](const TransportContext&) -> std::unique_ptr<Transport> { throw Unavailable(reason); }};
}

}  // namespace quartet::comm
