#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/session/options.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "core/units.hpp"
#include "device/accelerator.hpp"

namespace quartet::bench {

/// Assigns the GPUs of a node to its ranks: `distances[rank][gpu]` says how far each is from the
/// rank's cores. No GPU gets a second rank before each has one. Among the GPUs that this leaves
/// free, the nearest pairs come first. At equal distances the ranks take the GPUs in turn.
GpuMap deal_gpus(const std::vector<std::vector<int>>& distances);

/// The GPU of this rank: from the map, else as deal_gpus() assigns the GPUs that the node's ranks
/// see. If these ranks see different GPUs, or the system does not tell where a GPU is, they take
/// them in turn. `visible` has the PCI addresses of the GPUs that this rank sees, at least one.
/// Throws UsageError, on all ranks alike, if the map does not have one number for each rank of a
/// node, names a GPU that is not there, or differs between ranks. Collective over `world`.
int choose_gpu(const std::optional<GpuMap>& map, const std::vector<std::string>& visible,
               const comm::Topology& topology, const comm::Communicator& world);

/// A GPU that the job uses. Name and facts are on rank 0 alone, which writes them: there may be
/// thousands.
struct Gpu {
    std::string host{};
    std::vector<int> ranks{};  ///< that share it
    std::string name{};
    std::string uuid{};
    std::string facts = "{}";   ///< JSON: constant facts, as driver, memory, ECC, power limit
    std::string before = "{}";  ///< JSON: changing facts, as clocks and energy, before all cases
    std::string after = "{}";   ///< JSON: the same facts right after the last round of runs
    std::vector<int> numa_nodes{};  ///< that it is attached to; none: unknown
};

/// The GPUs of a job: which ranks share which GPU, and its facts before and after the measurement.
/// Empty if the job computes on the host.
class Gpus {
  public:
    Gpus() = default;
    /// `mine` is the calling rank's GPU, and must outlive this object. All ranks have made their
    /// devices before. Collective over `world`.
    Gpus(const comm::Communicator& world, const comm::Topology& topology,
         const device::Accelerator& mine);

    [[nodiscard]] const std::vector<Gpu>& all() const { return all_; }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    /// The GPU of a rank. The job must have GPUs.
    [[nodiscard]] const Gpu& of(int rank) const;
    /// This rank's even share of its GPU's memory: of what was free once all ranks had made their
    /// devices, less a reserve.
    [[nodiscard]] Bytes memory_share() const { return memory_share_; }

    /// What this rank's GPU has counted (`rank`: the caller's own); nothing on the host, or if a
    /// lower rank shares the GPU. Local.
    [[nodiscard]] std::optional<device::GpuCounters> counters(int rank) const;

    /// A line for each node with GPUs that no rank uses.
    [[nodiscard]] const std::vector<std::string>& idle() const { return idle_; }

    /// Reads the GPUs' changing facts again, right after a round of runs. Collective.
    void update(const comm::Communicator& world);

    /// Conditions of the GPUs that cost speed or spoil a comparison. Local; complete on rank 0.
    [[nodiscard]] std::vector<std::string> warnings() const;
    /// "2 x NVIDIA H200", for headings, on rank 0; empty if there are none.
    [[nodiscard]] std::string summary() const;
    /// For the document, on rank 0: the constant facts, and the changing facts before and after.
    [[nodiscard]] nlohmann::ordered_json json() const;

  private:
    const device::Accelerator* mine_ = nullptr;
    std::vector<Gpu> all_;
    std::vector<std::size_t> gpu_of_;  ///< index into all_, by rank
    std::vector<std::string> warnings_;
    std::vector<std::string> idle_;
    Bytes memory_share_;
};

/// One line for each GPU whose clocks were held down or fell while the job ran.
std::vector<std::string> throttle_warnings(std::span<const Gpu> gpus);

/// What a rank sees of its node's GPUs.
struct GpuSight {
    int node = 0;
    std::string host;
    int visible = 0;
    std::string uuid;             ///< of the GPU that it uses
    std::vector<int> near_nodes;  ///< NUMA nodes that this GPU is attached to; empty: unknown
    std::vector<int> core_nodes;  ///< NUMA nodes of the rank's cores
};
/// A line about the first node whose ranks see one GPU each, but different ones: no rank can reach
/// another's memory then. Empty if there is none.
std::vector<std::string> sight_warnings(std::span<const GpuSight> sights);
/// A line for each node whose ranks see more GPUs than they use.
std::vector<std::string> idle_gpus(std::span<const GpuSight> sights);
/// A line with the ranks (indices of `sights`) that run on none of the NUMA nodes that their GPUs
/// are attached to: copies then cross the processors' link (the paper's Fig. 9).
std::vector<std::string> distance_warnings(std::span<const GpuSight> sights);

}  // namespace quartet::bench
