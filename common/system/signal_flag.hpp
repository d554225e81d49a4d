#pragma once

#include <array>
#include <csignal>

namespace quartet::system {

/// Records whether SIGUSR1, SIGTERM, SIGINT or SIGHUP has come during its lifetime. Schedulers
/// announce the end of a job's time by the first and end the job by the second; a terminal sends
/// the others. SIGINT and SIGHUP stay ignored where they were, as under nohup. The flag is this
/// rank's alone: programs agree on it inside a reduction that they make anyway. A process has one
/// at a time. Its destructor restores the earlier handlers.
class SignalFlag {
  public:
    /// Throws Failure if another one lives.
    SignalFlag();
    ~SignalFlag();
    SignalFlag(const SignalFlag&) = delete;
    SignalFlag& operator=(const SignalFlag&) = delete;

    /// Whether one of the signals has arrived. Local.
    [[nodiscard]] bool raised() const;

    /// Call once the ranks have agreed to stop. The signals are then ignored for the rest of the
    /// process: the one that another rank has acted on may reach this rank late, and would kill it.
    /// Local.
    void ignore_later();

  private:
    static constexpr std::array<int, 4> signals{SIGUSR1, SIGTERM, SIGINT, SIGHUP};

    std::array<struct sigaction, signals.size()> previous_{};
};

}  // namespace quartet::system
