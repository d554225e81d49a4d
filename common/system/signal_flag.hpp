#pragma once

#include <array>
#include <csignal>

namespace quartet::system {

/// Notices SIGUSR1, by which schedulers announce the end of a job's time, and SIGTERM, by which
/// they and launchers end it a little later, for as long as it lives. The flag is this rank's
/// alone: programs agree on it inside a reduction that they make anyway. One at a time in a
/// process; the handlers found are put back at the end.
class SignalFlag {
  public:
    /// Throws Failure where another one lives.
    SignalFlag();
    ~SignalFlag();
    SignalFlag(const SignalFlag&) = delete;
    SignalFlag& operator=(const SignalFlag&) = delete;

    /// Whether one of the signals has come. Local.
    [[nodiscard]] bool raised() const;

    /// To be called once the ranks have agreed to obey: the signals are then ignored for the rest
    /// of the process instead of being given back, since the one that another rank has already
    /// obeyed may only now be on its way to this one, and would kill it. Local.
    void ignore_later();

  private:
    static constexpr std::array<int, 2> signals{SIGUSR1, SIGTERM};

    std::array<struct sigaction, signals.size()> previous_{};
};

}  // namespace quartet::system
