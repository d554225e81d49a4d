#pragma once

#include <csignal>

namespace quartet::comm {

/// Notices SIGUSR1, by which schedulers announce the end of a job's time, for as long as it lives.
/// The flag is this rank's alone: programs agree on it inside a reduction that they make anyway.
/// One at a time in a process; the handler found is put back at the end.
class SignalFlag {
  public:
    /// Throws Failure where another one lives.
    SignalFlag();
    ~SignalFlag();
    SignalFlag(const SignalFlag&) = delete;
    SignalFlag& operator=(const SignalFlag&) = delete;

    /// Whether the signal has come. Local.
    [[nodiscard]] bool raised() const;

  private:
    struct sigaction previous_ {};
};

}  // namespace quartet::comm
