#pragma once

#include <memory>

#include "system/signal_flag.hpp"

namespace quartet::bench {

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
