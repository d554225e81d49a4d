// A fake of NCCL, which moves memory of the fake GPU between processes through sockets.
// As the real one, it only enqueues: a group's messages move at the same time, groups of one
// communicator one after another, and what a rank receives must be what its peer sends.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "comm/transport/nccl/nccl_library.hpp"
#include "core/check.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

struct ncclComm {
    int rank = 0;
    std::vector<int> sockets;  // by peer
    std::atomic<std::int64_t> begun = 0;
    std::atomic<std::int64_t> done = 0;
};

namespace {

using quartet::Phase;
using quartet::device::on_cpu;

/// A message under way; its length goes before it.
struct Message {
    enum class Direction { out, in };

    Direction direction = Direction::out;
    int socket = -1;
    std::byte* data = nullptr;
    std::size_t size = 0;
    std::size_t length = 0;  // as it goes before
    std::size_t moved = 0;   // of both together

    [[nodiscard]] bool complete() const { return moved == sizeof(length) + size; }
    [[nodiscard]] bool moves_length() const { return moved < sizeof(length); }

    // As much as the socket takes or has now.
    void advance() {
        std::byte* begin = moves_length() ? reinterpret_cast<std::byte*>(&length) + moved
                                          : data + (moved - sizeof(length));
        const std::size_t left =
            moves_length() ? sizeof(length) - moved : size + sizeof(length) - moved;
        const ssize_t count = direction == Direction::out
                                  ? ::send(socket, begin, left, MSG_DONTWAIT | MSG_NOSIGNAL)
                                  : ::recv(socket, begin, left, MSG_DONTWAIT);
        quartet::check(count > 0 || (count < 0 && errno == EAGAIN), "the fake's peer has gone");
        moved += count > 0 ? static_cast<std::size_t>(count) : 0;
        quartet::check(moves_length() || length == size, "a message is not as long as expected");
    }
};

/// Messages that are enqueued together.
struct Group {
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    std::int64_t number = 0;
    std::vector<Message> messages;

    // Two messages of one direction and peer follow one another.
    [[nodiscard]] bool is_next(std::size_t index) const {
        return std::none_of(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(index),
                            [&](const Message& earlier) {
                                return !earlier.complete() &&
                                       earlier.socket == messages[index].socket &&
                                       earlier.direction == messages[index].direction;
                            });
    }

    void run() {
        while (comm->done < number) {
            std::this_thread::yield();
        }
        for (bool complete = false; !complete;) {
            complete = true;
            for (std::size_t index = 0; index < messages.size(); ++index) {
                if (!messages[index].complete() && is_next(index)) {
                    messages[index].advance();
                }
                complete = complete && messages[index].complete();
            }
            std::this_thread::yield();
        }
        ++comm->done;
    }
};

std::unique_ptr<Group> open_group;  // the main thread's

sockaddr_un address_of(const ncclUniqueId& id, int rank) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = std::string(id.internal) + "-" + std::to_string(rank);
    std::memcpy(address.sun_path + 1, name.data(), name.size());  // a name of no file
    return address;
}

int make_socket() {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    quartet::check(socket >= 0, "the fake has no socket");
    return socket;
}

int listen_as(const ncclUniqueId& id, int rank, int ranks) {
    const int socket = make_socket();
    const sockaddr_un address = address_of(id, rank);
    const bool bound =
        ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::listen(socket, ranks) == 0;
    quartet::check(bound, "the fake cannot listen");
    return socket;
}

int connect_to(const ncclUniqueId& id, int peer, int rank) {
    const int socket = make_socket();
    const sockaddr_un address = address_of(id, peer);
    while (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        std::this_thread::yield();  // it does not listen yet
    }
    quartet::check(::send(socket, &rank, sizeof(rank), 0) == sizeof(rank), "no greeting");
    return socket;
}

ncclResult_t get_version(int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char* error_string(ncclResult_t) {
    return "the fake's reason";
}

const char* last_error(ncclComm_t) {
    return "none";
}

ncclResult_t get_unique_id(ncclUniqueId* id) {
    static std::atomic<int> number = 0;
    const std::string name = "fake-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
    *id = {};
    name.copy(id->internal, sizeof(id->internal) - 1);
    return ncclSuccess;
}

// Each rank calls those below it, and is called by those above.
ncclResult_t init_rank(ncclComm_t* made, int ranks, ncclUniqueId id, int rank) {
    auto comm = std::make_unique<ncclComm>();
    comm->rank = rank;
    comm->sockets.assign(static_cast<std::size_t>(ranks), -1);
    const int listening = listen_as(id, rank, ranks);
    for (int peer = 0; peer < rank; ++peer) {
        comm->sockets[static_cast<std::size_t>(peer)] = connect_to(id, peer, rank);
    }
    for (int other = rank + 1; other < ranks; ++other) {
        const int socket = ::accept(listening, nullptr, nullptr);
        int peer = -1;
        quartet::check(::recv(socket, &peer, sizeof(peer), MSG_WAITALL) == sizeof(peer),
                       "no greeting");
        comm->sockets.at(static_cast<std::size_t>(peer)) = socket;
    }
    ::close(listening);
    *made = comm.release();
    return ncclSuccess;
}

ncclResult_t destroy(ncclComm_t comm) {
    for (const int socket : comm->sockets) {
        if (socket >= 0) {
            ::close(socket);
        }
    }
    delete comm;
    return ncclSuccess;
}

ncclResult_t group_start() {
    if (open_group) {
        return ncclInvalidUsage;
    }
    open_group = std::make_unique<Group>();
    return ncclSuccess;
}

ncclResult_t group_end() {
    if (!open_group) {
        return ncclInvalidUsage;
    }
    Group* group = open_group.release();
    if (group->comm == nullptr) {
        delete group;
        return ncclSuccess;
    }
    group->number = group->comm->begun++;
    quartet::device::fakes(group->stream).enqueue(Phase::exchange, "nccl", [group] {
        group->run();
        delete group;
    });
    return ncclSuccess;
}

ncclResult_t add(Message::Direction direction, std::byte* data, std::size_t size,
                 ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
    if (!open_group || type != ncclUint8 || peer == comm->rank ||
        (open_group->comm != nullptr && open_group->stream != stream)) {
        return ncclInvalidArgument;
    }
    open_group->comm = comm;
    open_group->stream = stream;
    open_group->messages.push_back({direction, comm->sockets.at(static_cast<std::size_t>(peer)),
                                    on_cpu(data), size,
                                    direction == Message::Direction::out ? size : 0});
    return ncclSuccess;
}

ncclResult_t send(const void* data, std::size_t count, ncclDataType_t type, int peer,
                  ncclComm_t comm, cudaStream_t stream) {
    return add(Message::Direction::out, const_cast<std::byte*>(static_cast<const std::byte*>(data)),
               count, type, peer, comm, stream);
}

ncclResult_t receive(void* data, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                     cudaStream_t stream) {
    return add(Message::Direction::in, static_cast<std::byte*>(data), count, type, peer, comm,
               stream);
}

ncclResult_t all_gather(const void* mine, void* all, std::size_t count, ncclDataType_t type,
                        ncclComm_t comm, cudaStream_t stream) {
    const std::byte* from = on_cpu(static_cast<const std::byte*>(mine));
    std::byte* to =
        on_cpu(static_cast<std::byte*>(all)) + static_cast<std::size_t>(comm->rank) * count;
    quartet::device::fakes(stream).enqueue(Phase::exchange, "nccl",
                                           [from, to, count] { std::memmove(to, from, count); });
    ncclResult_t status = group_start();
    const int ranks = static_cast<int>(comm->sockets.size());
    for (int peer = 0; peer < ranks && status == ncclSuccess; ++peer) {
        if (peer != comm->rank) {
            std::byte* part = static_cast<std::byte*>(all) + static_cast<std::size_t>(peer) * count;
            status = send(mine, count, type, peer, comm, stream);
            status =
                status == ncclSuccess ? receive(part, count, type, peer, comm, stream) : status;
        }
    }
    return status == ncclSuccess ? group_end() : status;
}

}  // namespace

namespace quartet::comm {

std::shared_ptr<const NcclLibrary> load_nccl() {
    return std::make_shared<const NcclLibrary>(NcclLibrary{
        .get_version = get_version,
        .error_string = error_string,
        .last_error = last_error,
        .get_unique_id = get_unique_id,
        .init_rank = init_rank,
        .destroy = destroy,
        .abort = destroy,
        .group_start = group_start,
        .group_end = group_end,
        .send = send,
        .receive = receive,
        .all_gather = all_gather,
    });
}

}  // namespace quartet::comm
