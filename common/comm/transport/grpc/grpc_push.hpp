#pragma once

#include <memory>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport.hpp"
#include "comm/transport/transport_registry.hpp"

namespace quartet::comm {

/// A push by gRPC, the paper's third protocol (VI.A): each sender streams the chunks of its vector,
/// serialised, to a service of the receiver's, which acknowledges each chunk when it has been
/// added; a sender has a few chunks under way at most. gRPC copies and allocates as it goes: that
/// is what is measured.
///
/// `host`: where the receiver listens ("127.0.0.1"), on a port of the system's choice. MPI spreads
/// the port and a token, drawn for each push, that senders show: whoever else connects is refused.
/// Nothing is encrypted. Collective over `comm`. Throws Failure, on all ranks alike, where it
/// cannot listen or be reached. A run throws Failure where a sender and the receiver disagree on
/// the vector.
std::unique_ptr<Push> make_grpc_push(const PushPlan& plan, const TransportContext& context,
                                     const Communicator& comm, const std::string& host,
                                     Track& track);

}  // namespace quartet::comm
