#pragma once

#include "comm/transport/shared/chunks.hpp"
#include "core/units.hpp"

namespace quartet::comm {

/// What both ends of a push's streams agree on, beside the messages themselves.
inline constexpr const char* grpc_token_key = "quartet-token";  ///< of a call's metadata
inline constexpr const char* grpc_rank_key = "quartet-rank";

/// The largest acknowledgement, with the words of a refusal, in bytes.
inline constexpr int grpc_acknowledgement_limit = 512;

/// The largest message with a chunk, in bytes: its elements, two numbers, and what names the
/// fields. Less than 2 GiB, where a message of protocol buffers ends.
inline int grpc_chunk_limit(const Chunks& chunks) {
    constexpr int beside_the_elements = 64;
    return static_cast<int>(chunks.largest().value) + beside_the_elements;
}

}  // namespace quartet::comm
