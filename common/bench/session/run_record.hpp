#pragma once

#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/environment.hpp"
#include "core/units.hpp"
#include "system/signal_flag.hpp"

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
    Seconds start_up;  ///< of this rank, from the launch until the devices were ready
};

/// The time since the launch: since the moment in QUARTET_LAUNCHED ("HOST SECONDS", since the
/// host's start: nobody sets that clock), if the scripts have set it and this process is on that
/// host; otherwise since the system started this process.
Seconds since_launch(Environment& environment);

/// Whether a signal has asked this rank to stop. Copies share what they know. All members are
/// local.
class StopRequest {
  public:
    /// From now on a signal asks to stop, instead of ending the process. One session at a time.
    /// Forgets those that came before.
    void take_signals() {
        signals_.reset();
        signals_ = std::make_shared<system::SignalFlag>();
    }
    [[nodiscard]] bool is_made() const { return signals_ && signals_->raised(); }
    /// Once the ranks have agreed to stop, as SignalFlag has it.
    void ignore_later() {
        if (signals_) {
            signals_->ignore_later();
        }
    }

  private:
    std::shared_ptr<system::SignalFlag> signals_;
};

}  // namespace quartet::bench
