#pragma once

#include <memory>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport.hpp"
#include "comm/transport/transport_kind.hpp"

namespace quartet::comm {

/// A push by gRPC, one of the paper's three protocols (VI.A): the receiver fetches the chunks of
/// each sender's vector, a few at a time, and adds them. gRPC copies and allocates as it goes: that
/// is what is measured.
///
/// `host`: where senders listen. Collective over `comm`. Throws Failure, on all ranks alike, where
/// one cannot listen or be reached.
std::unique_ptr<Push> make_grpc_push(const PushPlan& plan, const TransportContext& context,
                                     const Communicator& comm, const std::string& host,
                                     Track& track);

}  // namespace quartet::comm
