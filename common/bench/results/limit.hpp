#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace quartet::bench {

/// One thing that bounds a run, and the time of the run if nothing else bounds it.
struct LimitComponent {
    std::string name;  ///< "local add", "pair link"
    Seconds seconds;
    /// The same by what the hardware allows, if a library was measured; 0 if unknown.
    Seconds hardware{};
    /// The same if all ranks of the job took part, although only `ranks` do: as if a data flow's
    /// reducers computed, or senders added their share. 0 if all do, or if unknown.
    Seconds all_ranks{};
    int ranks = 0;
    /// What reads or writes memory fastest here, and so was measured; empty if there is one way.
    std::string way{};

    /// Measured on `some` of `all` ranks: what all would take, each at the same rate.
    void extend(int some, int all);
};

/// The component that takes longest; of equal ones the first. There is at least one.
const LimitComponent& slowest(std::span<const LimitComponent> components);

/// The time that the machine allows for one run: that of its slowest component.
struct Limit {
    std::vector<LimitComponent> components;  ///< at least one; of each the median of the probes
    Seconds seconds;                         ///< median of `probes`
    std::vector<double> probes;  ///< seconds of each probe's slowest component, as measured

    /// "local add", "slower of local add and pair link", "slowest of SGEMM, reducers and storage".
    [[nodiscard]] std::string what() const;
    /// The name of the slowest component; of equal ones the first.
    [[nodiscard]] const std::string& decided_by() const;
    /// The first component in which only some of the ranks take part; null if all do.
    [[nodiscard]] const LimitComponent* on_some_ranks() const;
};

/// The limit that these probes found. Each probe measured the same components. Throws Failure if
/// there is no probe or no component, or if components differ.
Limit limit_of(std::span<const std::vector<LimitComponent>> probes);

}  // namespace quartet::bench
