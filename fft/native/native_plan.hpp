#pragma once

#include <cstdint>
#include <string>

#include "bench/data/data_options.hpp"
#include "bench/program/session.hpp"
#include "device/four_step_fft.hpp"
#include "fft/memory_needs.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// How the native formulation transforms.
enum class Algorithm {
    single_rank,           ///< one rank's SingleRankFft, the result beside the input
    single_rank_in_place,  ///< the same over the input, where a GPU has no room for both
    transposed,            ///< column FFTs, exchange, row FFTs
    natural,               ///< the same, a second exchange, and a Transpose
};

/// The buffers of the native formulation on one rank. The case allocates what this says, and
/// memory() is its sum.
struct NativePlan {
    std::string transport;
    Problem problem;
    bench::DataOptions data;
    device::FourStepFft shape;
    Algorithm algorithm = Algorithm::transposed;

    std::int64_t input = 0;    ///< points, from the device
    std::int64_t parts = 0;    ///< doubles, from the transport: sent by the first exchange
    std::int64_t bins = 0;     ///< points, from the transport: sent by the second exchange
    std::int64_t result = 0;   ///< points, from the device; 0 in place
    Bytes received;            ///< by the exchanges; 0 where parts are read in place
    Bytes probe;               ///< sent by the limit's exchange, and received by it
    std::int64_t staging = 0;  ///< points, page-locked: tiles between their files and a GPU

    Bytes workspace;  ///< of the FFT plans
    Bytes
        host_work;  ///< of the CPU, whatever the device: the check, and what it sees a GPU through

    device::MemoryKind kind = device::MemoryKind::host;  ///< of the device's buffers
    bool in_windows = false;  ///< whether the transport's memory takes space of /dev/shm

    [[nodiscard]] bool in_place() const { return algorithm == Algorithm::single_rank_in_place; }
    [[nodiscard]] MemoryNeeds memory() const;
};

/// The plan of a problem on this rank. Local.
NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data);

/// Whether one rank's GPU has room to transform all points as a single tile, with the result
/// beside the input. Local.
bool has_room_for_one_tile(bench::Session& session, const Problem& problem);

}  // namespace quartet::fft
