#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure/machine_watch.hpp"
#include "system/traffic.hpp"

namespace quartet::bench {

/// Adds up what the interfaces and GPUs of the job's nodes send in the measured runs of one case,
/// beside what its plan says that they must. Which road that is, the reader of the document judges.
class RoadWatch {
  public:
    /// Collective.
    RoadWatch(Session& session, const PlannedCase& planned, const MachineProbes& machine);

    /// Measures what others send, where there are several nodes: while nothing of the job runs.
    /// Collective.
    void watch_others();
    /// Right before a measured run. Local.
    void begin();
    /// Right after it, with what else was watched meanwhile, which has ended. Local.
    void end(const MachineWatch& watch);
    /// All runs so far: a JSON object of each node, as a document's schema describes it, on rank 0;
    /// else empty. Nothing of a model, which sends nothing. Collective.
    [[nodiscard]] std::vector<std::string> nodes() const;

  private:
    /// Bytes of all runs, or of one.
    struct Plan {
        double between_nodes = 0;
        double within_node = 0;
        double copied_out = 0;  ///< from GPUs to the host's memory, besides
    };
    struct InterfaceSent {
        system::Sent sent;
        double others = 0;  ///< bytes per second
    };

    void plan_node(const comm::RankTraffic& mine);
    [[nodiscard]] std::vector<system::Count> read() const;
    [[nodiscard]] std::optional<double> sent_by_gpus(const std::optional<double>& mine) const;

    Session& session_;
    const system::TrafficCounters* traffic_ = nullptr;  ///< on the first rank of each node
    std::optional<Plan> planned_;                       ///< of one run of this node
    int runs_ = 0;
    Seconds window_;  ///< of all runs
    Seconds begin_;
    std::vector<system::Count> before_;
    std::vector<InterfaceSent> interfaces_;
    bool reads_gpu_ = false;
    std::optional<double> nvlink_ = 0;  ///< sent by this rank's GPU; none: unknown
    std::optional<double> pcie_ = 0;
};

}  // namespace quartet::bench
