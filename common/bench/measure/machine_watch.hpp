#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/session.hpp"
#include "system/network_counters.hpp"

namespace quartet::bench {

/// The counters that a rank can read of its machine at one moment.
struct MachineCounters {
    Seconds time;
    std::optional<Seconds> stolen;  ///< from this rank's processors, since boot
    std::optional<Seconds> busy;    ///< all processors of the machine, since boot
    Seconds cpu;                    ///< processor time of this process
};

/// The functions that observe the machine: those of this_machine(), or a test's own.
struct MachineProbes {
    std::function<MachineCounters(std::span<const int> processors)> counters;
    std::function<Seconds(int threads)> clock_probe;  ///< system::probe_clock
    /// The counters of the rank's GPU; nothing if there is none, or if another rank reads them.
    std::function<std::optional<device::GpuCounters>(const Gpus& gpus, int rank)> gpu_counters =
        [](const Gpus&, int) { return std::nullopt; };
    /// The counters of the node's network interfaces; null if they are not observed.
    std::function<const system::NetworkCounters*()> network = [] { return nullptr; };
};
MachineProbes this_machine();

/// GPUs count in steps of up to a tenth of a second: runs shorter than two steps get no figures.
inline constexpr Seconds least_gpu_window{0.2};

/// Observes what else runs on the machine, from its construction to each end(). All members are
/// collective; their barriers lie outside the time that is measured between them.
class MachineWatch {
  public:
    MachineWatch(const Session& session, const MachineProbes& machine);
    /// The conditions since the construction, the same on all ranks.
    RunConditions end();

  private:
    [[nodiscard]] std::optional<double> largest_share(std::optional<double> share) const;
    [[nodiscard]] std::optional<double> stolen(const MachineCounters& after, Seconds window) const;
    [[nodiscard]] std::optional<double> others(const MachineCounters& after, Seconds window) const;
    [[nodiscard]] std::optional<device::GpuCounters> gpu_counters() const;
    void add_gpus(RunConditions& conditions, const std::optional<device::GpuCounters>& after) const;

    const Session& session_;
    const MachineProbes& machine_;
    std::optional<device::GpuCounters> gpu_before_;
    MachineCounters before_;
};

/// Sums the bytes that the network interfaces of the job's nodes send in the measured runs of one
/// case. The document's reader sees from them which path the data took.
class NetworkPath {
  public:
    /// Local, as all members but nodes().
    NetworkPath(const Session& session, const MachineProbes& machine);

    /// Right before a measured run.
    void begin();
    /// Right after it.
    void end();
    /// A JSON object for each node over all runs so far (`network_path` in the document's schema),
    /// on rank 0; empty on other ranks. Collective.
    [[nodiscard]] std::vector<std::string> nodes() const;

  private:
    const Session& session_;
    const system::NetworkCounters* counters_ = nullptr;  ///< on the first rank of each node
    int runs_ = 0;
    std::vector<std::optional<std::uint64_t>> before_;
    std::vector<std::optional<std::uint64_t>> sent_;  ///< by interface; nothing if not known
};

}  // namespace quartet::bench
