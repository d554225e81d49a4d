#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/transport.hpp"
#include "core/file.hpp"
#include "device/device.hpp"

namespace quartet::bench {

/// The probes below measure what the machine allows, in the job that is measured and between its
/// runs. Each has its memory from the beginning, so that probing allocates nothing.

/// What a probe between two runs should take: long enough for the clock, short beside the runs.
inline constexpr Seconds probe_time{0.05};

/// How a loop goes through memory.
enum class AccessPattern {
    read,    ///< s += x[i] y[i], double: 16 bytes an element
    copy,    ///< y[i] = x[i], double: 16 bytes
    add,     ///< y[i] += x[i], float: 12 bytes
    update,  ///< y[i] += a x[i], double: 24 bytes
};

/// A rank's own memory rate over a target and one or more sources of `size` each, which successive
/// passes take in turn.
class MemoryProbe {
  public:
    MemoryProbe(device::Device& device, AccessPattern pattern, Bytes size, int sources = 1);

    /// Time of one pass, from `passes` of them. Local.
    Seconds measure(int passes, device::Stream& stream);
    /// Passes that take about `time`, between 1 and `most`. Local.
    int passes_for(Seconds time, int most, device::Stream& stream);
    /// Bytes read and written by one pass.
    [[nodiscard]] Bytes traffic() const;

  private:
    void pass(device::Stream& stream);

    device::Device& device_;
    AccessPattern pattern_;
    std::int64_t elements_;
    std::vector<device::Buffer<float>> single_;  ///< the target, then the sources
    std::vector<device::Buffer<double>> double_;
    device::Buffer<double> result_;
    std::size_t turn_ = 0;  ///< of the sources
};

/// A rank's rate of float32 products of `size` x `size` matrices.
class SgemmProbe {
  public:
    SgemmProbe(device::Device& device, std::int64_t size);
    /// Time of one product. Local.
    Seconds measure(device::Stream& stream);
    /// 2 n^3 - n^2.
    [[nodiscard]] Flops flops() const;

  private:
    device::Device& device_;
    std::int64_t size_;
    device::Buffer<float> a_, b_, c_;
};

/// The one-way rate of a pair of ranks: blocking messages of `size`, the last one answered.
class PairProbe {
  public:
    /// `transport` can send and receive. Collective over its communicator.
    PairProbe(comm::Transport& transport, const comm::Communicator& comm, int from, int to,
              Bytes size);
    /// Time of one message, from `messages` of them, on both ends; 0 elsewhere. Collective.
    Seconds measure(int messages, device::Stream& stream);

  private:
    comm::Transport& transport_;
    const comm::Communicator& comm_;
    int from_;
    int to_;
    device::Buffer<std::byte> data_;
};

/// The rate of an exchange in which each rank sends `size` bytes in equal parts to all.
class AllToAllProbe {
  public:
    /// `transport` can all-to-all. Collective over its communicator.
    AllToAllProbe(comm::Transport& transport, const comm::Communicator& comm, Bytes size);
    /// Time of one exchange, the slowest rank's. Collective.
    Seconds measure(device::Stream& stream);
    /// Bytes that leave one rank.
    [[nodiscard]] Bytes sent() const;

  private:
    comm::Transport& transport_;
    const comm::Communicator& comm_;
    std::vector<std::int64_t> counts_;
    device::Buffer<std::byte> send_;
    device::Buffer<std::byte> receive_;
};

/// What the operating system may have kept of a file.
enum class CacheState {
    warm,    ///< in the page cache, as found
    direct,  ///< read past the page cache (O_DIRECT)
};

/// The rate at which a rank reads a file from beginning to end.
class StorageProbe {
  public:
    /// Throws Failure where it is no file that can be opened in that way.
    StorageProbe(const std::filesystem::path& file, CacheState cache);

    /// Time of one reading of the whole file. Local. Throws Failure where reading fails.
    Seconds measure();
    [[nodiscard]] Bytes size() const { return size_; }

  private:
    FileDescriptor descriptor_;
    Bytes size_;
    std::vector<std::byte> buffer_;
    std::byte* aligned_;  ///< direct input wants whole pages
};

}  // namespace quartet::bench
