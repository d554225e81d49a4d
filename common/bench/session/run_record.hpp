#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "bench/results/stages.hpp"
#include "core/environment.hpp"

namespace quartet::bench {

/// The part of a document that describes a run, beside its rows. Local.
struct RunRecord {
    /// Reads the machine's load and the environment variables that may change results.
    RunRecord();

    std::time_t started;               ///< when the session began
    std::vector<double> load_average;  ///< 1, 5 and 15 minutes before that; empty if unknown
    Environment environment;           ///< the variables that were read
    /// Values of options that were not given or were changed, by the option's name.
    std::map<std::string, std::string> resolved;
    StageClock stages{LaunchTime{}};  ///< of this rank, from the launch on
};

}  // namespace quartet::bench
