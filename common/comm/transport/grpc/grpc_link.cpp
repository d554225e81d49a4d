#include "comm/transport/grpc/grpc_link.hpp"

#include <utility>

#include "comm/mpi/agree.hpp"

namespace quartet::comm {

GrpcLink::GrpcLink(const Communicator& comm, const std::string& host, GrpcServer::Offer offer,
                   Bytes largest)
    : largest_(largest) {
    agree(comm, [&] {
        if (offer) {
            server_ = std::make_unique<GrpcServer>(host, std::move(offer));
        }
    });
    addresses_ = comm.gather(server_ ? server_->address() : "");
    tokens_ = comm.gather(server_ ? server_->token() : "");
}

GrpcClient& GrpcLink::to(int rank) {
    const auto index = static_cast<std::size_t>(rank);
    return clients_.try_emplace(rank, receiver_, addresses_.at(index), tokens_.at(index), largest_)
        .first->second;
}

}  // namespace quartet::comm
