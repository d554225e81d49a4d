#include "comm/transport/transport_registry.hpp"

namespace quartet::comm {

namespace {

constexpr const char* no_nccl =
    "not available in this build: transport nccl (NCCL was not found: NCCL_ROOT may name it)";

}  // namespace

TransportKind nccl_transport() {
    return {
        "nccl", [](const TransportContext&) { return std::optional<std::string>(no_nccl); },
        [](const TransportContext&) -> std::unique_ptr<Transport> { throw Unavailable(no_nccl); }};
}

}  // namespace quartet::comm
