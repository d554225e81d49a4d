#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"

namespace quartet::comm {

/// The way of a transport's bytes from the memory of one GPU to that of another.
enum class Route {
    direct,        ///< from GPU to GPU, as far as hardware and library can
    through_host,  ///< out to the host's memory, and in again
};

/// Bytes that leave one rank in one run of a case, known before anything is allocated. Few bytes
/// that go as control messages (sums of scalars, credits of queues) are not counted.
struct RankTraffic {
    std::vector<std::int64_t> sent;      ///< by a transport, where the device computes, by receiver
    std::vector<std::int64_t> payloads;  ///< between the hosts' memories, by receiver
    std::int64_t copied_out = 0;         ///< from the GPU to its host's memory, besides
    std::int64_t copied_in = 0;

    [[nodiscard]] bool known() const {
        return !sent.empty() || !payloads.empty() || copied_out > 0 || copied_in > 0;
    }
};

/// The place of a rank.
struct RankPlace {
    std::string host;
    int node = 0;
    int gpu = -1;  ///< by a number of its own in the job; -1 if it computes on the host
};

/// Every rank's, by rank. Collective.
std::vector<RankTraffic> gather(const RankTraffic& mine, const Communicator& world);

/// The bytes that all ranks together move over each kind of link, and the most over a single link:
/// "between GPUs 12 MiB (most: rank 0's to rank 1's, 4 MiB); between nodes 8 MiB". A kind that
/// carries nothing is left out. A GPU is named by its first rank. Data that a rank keeps is not
/// counted. Local.
std::string describe_traffic(std::span<const RankTraffic> ranks, std::span<const RankPlace> places,
                             Route route);

}  // namespace quartet::comm
