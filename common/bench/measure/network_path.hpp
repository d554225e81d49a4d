#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/machine_watch.hpp"

namespace quartet::bench {

/// Adds up what the interfaces and GPUs of the job's nodes send in the measured runs of one case,
/// beside what its plan says that they must. Which path that is, the reader of the document judges.
class NetworkPath {
  public:
    /// Collective.
    NetworkPath(Session& session, const PlannedCase& planned, const MachineProbes& machine);

    /// Right before a measured run. Local.
    void begin();
    /// Right after it, with what else was watched meanwhile, which has ended. Local.
    void end(const MachineWatch& watch);
    /// All runs so far: a JSON object of each node, as a document's schema describes it, on rank 0;
    /// else empty. Collective.
    [[nodiscard]] std::vector<std::string> nodes() const;

  private:
    using Counts = std::vector<std::optional<std::uint64_t>>;
    /// Adds a difference; nothing if it is not known, or a counter began anew.
    template <typename Count>
    static void add(std::optional<double>& sum, const std::optional<Count>& before,
                    const std::optional<Count>& after);

    Session& session_;
    const system::NetworkCounters* counters_ = nullptr;  ///< on the first rank of each node
    bool is_planned_ = false;
    double between_nodes_ = 0;  ///< planned bytes of a run of this node
    double within_node_ = 0;
    int runs_ = 0;
    Counts before_;
    std::vector<std::optional<double>> sent_;  ///< by interface
    bool reads_gpu_ = false;
    std::optional<double> nvlink_ = 0;  ///< sent by this rank's GPU
};

}  // namespace quartet::bench
