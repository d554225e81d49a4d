#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

/// How many times what takes `once` fills `time`, between 1 and `most`.
constexpr int passes_in(Seconds time, Seconds once, int most = 1000) {
    return static_cast<int>(std::clamp(time / once, 1.0, static_cast<double>(most)));
}

using device::AccessPattern;

/// A rank's own memory rate over a target and one or more sources of `size` bytes each. Successive
/// passes read the sources in turn. There are several ways to pass over memory: before the first
/// measurement the probe measures all that its device has, for about 0.1 s, and keeps the fastest.
class MemoryProbe {
  public:
    using Pass = std::function<void(device::Stream& stream)>;

    /// `device` passes over it; it may be the CPU beside the arena's GPU.
    MemoryProbe(device::Arena& arena, device::Device& device, AccessPattern pattern, Bytes size,
                int sources = 1);
    /// Over memory of the case itself (borrowed), so that its own pages decide: reads it, or copies
    /// it to a target of the same size, whose values are lost.
    MemoryProbe(device::Arena& arena, device::View<const double> source);
    MemoryProbe(device::Device& device, device::View<const double> source,
                device::View<double> target);

    MemoryProbe(const MemoryProbe&) = delete;
    MemoryProbe& operator=(const MemoryProbe&) = delete;

    /// One more way: operations that move what a pass moves. Before choose_way().
    void add_way(std::string name, Pass pass);
    /// Measures the ways and keeps the fastest, if that has not been done. Local; ranks that share
    /// a memory call it at the same time.
    void choose_way(device::Stream& stream);
    /// The fastest way: "4 streams with prefetch"; empty before choose_way().
    [[nodiscard]] const std::string& way() const { return way_; }

    /// Fills the target with zeros, so that the first pass finds in the caches what a run finds
    /// whose target is filled before it. For patterns that update the target. Local.
    void fill_target(device::Stream& stream);
    /// Time of one pass, from `passes` of them. Local.
    Seconds measure(int passes, device::Stream& stream);
    /// Passes that take about `time`, between 1 and `most`. Local.
    int passes_for(Seconds time, int most, device::Stream& stream);
    /// Bytes read and written by one pass.
    [[nodiscard]] Bytes traffic() const;

  private:
    /// A way of the device's, over any part of source and target.
    struct PartWay {
        std::string name;
        std::function<void(const device::MemoryPass& pass, device::Stream& stream)> pass;
    };

    [[nodiscard]] device::MemoryPass whole(const device::View<const std::byte>& source);
    [[nodiscard]] std::vector<PartWay> device_ways() const;
    [[nodiscard]] PartWay fastest_of_device(device::Stream& stream);
    /// The device's operations reach its own memory alone, in whole numbers.
    [[nodiscard]] bool has_two_ways_to_copy() const;

    device::Device& device_;
    AccessPattern pattern_;
    std::vector<device::Buffer<std::byte>> owned_;
    device::View<std::byte> target_;
    std::vector<device::View<const std::byte>> sources_;
    device::Buffer<double> result_;
    std::size_t next_ = 0;  ///< of the sources
    std::vector<std::pair<std::string, Pass>> added_;
    std::string way_;
    Pass pass_;  ///< by that way
};

/// A rank's rate of float32 products of `size` x `size` matrices.
class SgemmProbe {
  public:
    /// How many random numbers the matrices are made of, at most: these lie on the host meanwhile.
    static constexpr std::int64_t random_numbers = std::int64_t{1} << 22;

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

/// The one-way rate of a pair of ranks: blocking messages of `size`, the last one answered.
class PairProbe {
  public:
    /// `transport` can send and receive. Collective over its communicator; local while the arena
    /// plans.
    PairProbe(device::Arena& arena, comm::Transport& transport, const comm::Communicator& comm,
              int from, int to, Bytes size);
    /// Time of one message, from `messages` of them, on both ends; 0 elsewhere. Collective.
    Seconds measure(int messages, device::Stream& stream);

  private:
    comm::Transport& transport_;
    const comm::Communicator& comm_;
    int from_;
    int to_;
    device::Buffer<std::byte> data_;
};

/// The rate of an all-to-all in which each rank sends `part` bytes to each other one, and none to
/// itself.
class AllToAllProbe {
  public:
    /// `transport` can all-to-all. Collective over its communicator; local while the arena plans.
    AllToAllProbe(device::Arena& arena, comm::Transport& transport, const comm::Communicator& comm,
                  Bytes part);
    /// Time of one exchange, the slowest rank's. Where parts are read at the sender, the faster of
    /// two, by each way to copy. Collective.
    Seconds measure(device::Stream& stream);
    /// Bytes that leave one rank.
    [[nodiscard]] Bytes sent() const { return {send_.size()}; }

  private:
    /// Copies a part that this rank may read to where it needs it.
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

    /// Time of reading the whole file once; with FileCache::drop the page cache forgets it before.
    /// Local. Throws Failure if reading fails.
    Seconds measure();
    [[nodiscard]] Bytes size() const { return file_.size(); }

  private:
    std::filesystem::path name_;
    FileCache cache_;
    InputFile file_;
    std::vector<std::byte> buffer_;
    std::span<std::byte> aligned_;  ///< direct input wants whole pages
};

/// The component of a limit that is not memory: the time of float64 operations that all ranks do at
/// once, each as fast as its device multiplies and adds in registers.
class ArithmeticLimit {
  public:
    /// Of a rank that computes, or only waits for others. Local.
    enum class Part { computes, waits };
    explicit ArithmeticLimit(const device::Device& device, Part part = Part::computes)
        : device_(device), part_(part) {}

    /// The time of `flops` operations of all ranks together. Collective.
    LimitComponent measure(Flops flops, const comm::Communicator& world, device::Stream& stream);

  private:
    const device::Device& device_;
    Part part_;
    std::unique_ptr<device::MultiplyAddProbe> probe_;  ///< from the first measurement on
};

/// What each rank chose by its own clock, said of all of them: "A", or "A on 3 of 4 ranks, B on 1
/// of 4 ranks". An empty choice counts for none. The same answer on all ranks. Collective.
std::string summarise_over_ranks(const std::string& choice, const comm::Communicator& world);

}  // namespace quartet::bench
