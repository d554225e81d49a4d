#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/grpc/grpc_client.hpp"
#include "comm/transport/grpc/grpc_server.hpp"

namespace quartet::comm {

/// One rank's part in a transfer between ranks: it offers bytes, and fetches those that others
/// offer. MPI spreads addresses and tokens.
class GrpcLink {
  public:
    /// `host`: where this rank listens; `offer`: empty if it offers nothing. Collective; throws
    /// Failure, on all ranks alike, if one cannot listen.
    GrpcLink(const Communicator& comm, const std::string& host, GrpcServer::Offer offer,
             Bytes largest);

    /// The client of a rank that offers data, connected at the first call. Throws Failure if the
    /// rank cannot be reached. Local.
    GrpcClient& to(int rank);

  private:
    Bytes largest_;
    std::unique_ptr<GrpcServer> server_;  ///< where something is offered
    std::vector<std::string> addresses_;  ///< by rank
    std::vector<std::string> tokens_;     ///< by rank
    GrpcReceiver receiver_;
    std::map<int, GrpcClient> clients_;  ///< by rank
};

}  // namespace quartet::comm
