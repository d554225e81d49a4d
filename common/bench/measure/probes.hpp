#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/session/session.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport.hpp"
#include "core/files/file.hpp"
#include "device/device.hpp"
#include "device/multiply_add_probe.hpp"
#include "device/vector_operations.hpp"

namespace quartet::bench {

/// The probes below measure what the machine allows, in the same job, between the measured runs.
/// Their constructors make their memory, by the rules of device::Arena: probing allocates nothing.

/// How long a probe between two runs should take: long enough for the clock, short beside the runs.
inline constexpr Seconds probe_time{0.05};
/// How long a probe may take at most, however long the runs are.
inline constexpr Seconds longest_probe_time{2};
/// How long a probe of the processors should take beside runs of `run`: a tenth of one. Clock
/// frequencies and a shared machine's neighbours differ between 0.05 s and seconds.
constexpr Seconds probe_time_beside(Seconds run) {
    return {std::clamp(0.1 * run.value, probe_time.value, longest_probe_time.value)};
}

/// How many passes of `once` each fit into `time`: at least 1, at most `most`.
constexpr int passes_in(Seconds time, Seconds once, int most = 1000) {
    return static_cast<int>(std::clamp(time / once, 1.0, static_cast<double>(most)));
}

using device::AccessPattern;

/// A rank's own memory rate over a target and one or more sources of `size` bytes each. Successive
/// passes read the sources in turn. There are several ways to pass over memory: before its first
/// measurement the probe tries all ways of its device for about 0.1 s, and keeps the fastest.
class MemoryProbe {
  public:
    using Pass = std::function<void(device::Stream& stream)>;

    /// `device` passes over the memory; it may be the CPU where the arena is of a GPU.
    MemoryProbe(device::Arena& arena, device::Device& device, AccessPattern pattern, Bytes size,
                int sources = 1);
    /// Uses (borrows) the case's own memory, so that the rate is that of its pages: reads it, or
    /// copies it to a target of the same size, which is overwritten.
    MemoryProbe(device::Arena& arena, device::View<const double> source);
    MemoryProbe(device::Device& device, device::View<const double> source,
                device::View<double> target);

    MemoryProbe(const MemoryProbe&) = delete;
    MemoryProbe& operator=(const MemoryProbe&) = delete;

    /// Adds a way: operations that move as many bytes as a pass. To be called before choose_way().
    void add_way(std::string name, Pass pass);
    /// Measures the ways and keeps the fastest, unless that has been done. Local; ranks that share
    /// memory should call it at the same time.
    void choose_way(device::Stream& stream);
    /// The fastest way: "4 streams with prefetch"; empty before choose_way().
    [[nodiscard]] const std::string& way() const { return way_; }

    /// Fills the target with zeros. Where a case fills its target before each run, the first pass
    /// then finds the caches as the run does. For patterns that update the target. Local.
    void fill_target(device::Stream& stream);
    /// The mean time of one of `passes` passes. Local.
    Seconds measure(int passes, device::Stream& stream);
    /// The number of passes that take about `time`, between 1 and `most`. Local.
    int passes_for(Seconds time, int most, device::Stream& stream);
    /// Bytes read and written by one pass.
    [[nodiscard]] Bytes traffic() const;

  private:
    /// A way of the device, which works on any part of source and target.
    struct PartWay {
        std::string name;
        std::function<void(const device::MemoryPass& pass, device::Stream& stream)> pass;
    };

    [[nodiscard]] device::MemoryPass whole(const device::View<const std::byte>& source);
    [[nodiscard]] std::vector<PartWay> device_ways() const;
    [[nodiscard]] PartWay fastest_of_device(device::Stream& stream);

    device::Device& device_;
    AccessPattern pattern_;
    std::vector<device::Buffer<std::byte>> owned_;
    device::View<std::byte> target_;
    std::vector<device::View<const std::byte>> sources_;
    device::Buffer<double> result_;
    std::size_t next_ = 0;  ///< index of the next source
    std::vector<std::pair<std::string, Pass>> added_;
    std::string way_;
    Pass pass_;  ///< by the way named way_; empty before choose_way()
};

/// A rank's rate of float32 products of `size` x `size` matrices.
class SgemmProbe {
  public:
    SgemmProbe(device::Arena& arena, std::int64_t size);
    /// Time of one product. Local.
    Seconds measure(device::Stream& stream);
    /// 2 n^3 - n^2.
    [[nodiscard]] Flops flops() const;

  private:
    device::Device& device_;
    std::int64_t size_;
    device::Buffer<float> a_, b_, c_;
};

/// The one-way rate between two ranks: blocking messages of `size`, and an empty answer at the end.
class PairProbe {
  public:
    /// `transport` must have send and receive. Collective over its communicator; local while the
    /// arena plans.
    PairProbe(device::Arena& arena, comm::Transport& transport, const comm::Communicator& comm,
              int from, int to, Bytes size);
    /// The mean time of one of `messages` messages on both ranks; 0 on other ranks. Collective.
    Seconds measure(int messages, device::Stream& stream);

  private:
    comm::Transport& transport_;
    const comm::Communicator& comm_;
    int from_;
    int to_;
    device::Buffer<std::byte> data_;
};

/// The rate of an all-to-all in which each rank sends `part` bytes to each other rank, and none to
/// itself.
class AllToAllProbe {
  public:
    /// `transport` must have all-to-all. Collective over its communicator; local while the arena
    /// plans.
    AllToAllProbe(device::Arena& arena, comm::Transport& transport, const comm::Communicator& comm,
                  Bytes part);
    /// The slowest rank's time of one exchange. Where parts are read at the sender, there are two
    /// exchanges with different ways to copy, and the faster one counts. Collective.
    Seconds measure(device::Stream& stream);
    /// Bytes that leave one rank.
    [[nodiscard]] Bytes sent() const { return {send_.size()}; }

  private:
    /// Copies a part, which lies at its sender, to its place on this rank.
    using Copy =
        std::function<void(device::View<const std::byte> part, device::View<std::byte> place)>;
    Seconds exchange(const Copy& copy, device::Stream& stream);

    const comm::Communicator& comm_;
    device::Buffer<std::byte> send_;
    std::unique_ptr<comm::Exchange> exchange_;
    device::Buffer<std::byte> received_;  ///< where parts are read at the sender
    device::Device& device_;
};

/// The rate at which a rank reads a file from beginning to end.
class StorageProbe {
  public:
    /// Throws Failure if the file cannot be opened in this way.
    StorageProbe(const std::filesystem::path& file, FileCache cache);

    /// The time to read the whole file once; FileCache::drop removes it from the page cache first.
    /// Local. Throws Failure if reading fails.
    Seconds measure();
    [[nodiscard]] Bytes size() const { return file_.size(); }

  private:
    struct alignas(direct_alignment) Block {  // direct input needs whole pages
        std::array<std::byte, std::size_t{4} << 20> bytes;
    };

    std::filesystem::path name_;
    FileCache cache_;
    InputFile file_;
    std::unique_ptr<Block> block_ = std::make_unique<Block>();
};

/// The arithmetic component of a limit: the time of float64 operations that all ranks do at once,
/// each as fast as its device multiplies and adds in registers.
class ArithmeticLimit {
  public:
    /// Whether this rank computes, or only waits for others.
    enum class Part { computes, waits };
    explicit ArithmeticLimit(const device::Device& device, Part part = Part::computes)
        : device_(device), part_(part) {}

    /// The time of `flops` operations of all ranks together. Collective.
    LimitComponent measure(Flops flops, const comm::Communicator& world, device::Stream& stream);

  private:
    const device::Device& device_;
    Part part_;
    std::unique_ptr<device::MultiplyAddProbe> probe_;  ///< made at the first measurement
};

/// Describes the choices that ranks made by their own measurements: "A", or "A on 3 of 4 ranks, B
/// on 1 of 4 ranks". Skips empty choices. The same answer on all ranks. Collective.
std::string summarise_over_ranks(const std::string& choice, const comm::Communicator& world);

}  // namespace quartet::bench
