#include "comm/transport/nccl/nccl_communicator.hpp"

#include <exception>
#include <functional>
#include <string>

#include "comm/mpi/agree.hpp"

namespace quartet::comm {

namespace {

std::size_t count(device::View<const std::byte> data) {
    return static_cast<std::size_t>(data.size());
}

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<const NcclLibrary> library,
                                   const Communicator& comm, device::Accelerator& gpu)
    : library_(std::move(library)), gpu_(gpu), exceptions_(std::uncaught_exceptions()) {
    ncclUniqueId id{};
    agree(comm, [&] {
        if (comm.rank() == 0) {
            library_->check(library_->get_unique_id(&id), "ncclGetUniqueId");
        }
    });
    const std::string text = comm.broadcast(std::string(id.internal, sizeof(id.internal)), 0);
    text.copy(id.internal, sizeof(id.internal));
    agree(comm, [&] {
        library_->check(library_->init_rank(&handle_, comm.size(), id, comm.rank()),
                        "ncclCommInitRank");
    });
}

NcclCommunicator::~NcclCommunicator() {
    if (std::uncaught_exceptions() > exceptions_) {
        library_->abort(handle_);
    } else {
        library_->destroy(handle_);
    }
}

void NcclCommunicator::exchange(std::span<const Outgoing> outgoing,
                                std::span<const Incoming> incoming, device::Stream& stream) {
    if (outgoing.empty() && incoming.empty()) {
        return;
    }
    const auto work = [&](void* handle) {
        send_and_receive(outgoing, incoming, static_cast<cudaStream_t>(handle));
    };
    gpu_.launch(stream, Phase::exchange, "nccl messages", std::cref(work));
}

void NcclCommunicator::send_and_receive(std::span<const Outgoing> outgoing,
                                        std::span<const Incoming> incoming,
                                        cudaStream_t stream) const {
    library_->check(library_->group_start(), "ncclGroupStart");
    for (const Outgoing& message : outgoing) {
        library_->check(library_->send(message.data.data(), count(message.data), ncclUint8,
                                       message.to, handle_, stream),
                        "ncclSend");
    }
    for (const Incoming& message : incoming) {
        library_->check(library_->receive(message.data.data(), count(message.data), ncclUint8,
                                          message.from, handle_, stream),
                        "ncclRecv");
    }
    library_->check(library_->group_end(), "ncclGroupEnd");
}

void NcclCommunicator::all_gather(device::View<const std::byte> mine, device::View<std::byte> all,
                                  device::Stream& stream) {
    const auto work = [&](void* handle) {
        library_->check(library_->all_gather(mine.data(), all.data(), count(mine), ncclUint8,
                                             handle_, static_cast<cudaStream_t>(handle)),
                        "ncclAllGather");
    };
    gpu_.launch(stream, Phase::exchange, "nccl all-gather", std::cref(work));
}

}  // namespace quartet::comm
