#pragma once

#include <cstdint>

namespace quartet::comm {

/// Asks a GrpcServer for bytes; a message of gRPC's has these two numbers, little-endian.
struct GrpcRequest {
    std::int64_t item = 0;  ///< by the server's own numbering
    std::int64_t size = 0;  ///< bytes
};

/// The method of all calls.
inline constexpr const char* grpc_method = "/quartet/fetch";
/// The key of the token in a call's metadata.
inline constexpr const char* grpc_token_key = "quartet-token";

}  // namespace quartet::comm
