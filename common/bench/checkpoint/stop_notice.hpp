#pragma once

#include "bench/session/session.hpp"
#include "comm/mpi/control_channel.hpp"

namespace quartet::bench {

/// Tells all ranks that one of them was asked to stop, while each works on its own.
class StopNotice {
  public:
    /// Borrows the session. Collective.
    explicit StopNotice(Session& session) : session_(session), channel_(session.world()) {}

    /// Whether any rank was asked to stop. A rank that was asked tells the others, which allocates
    /// a little. Local.
    bool poll();
    /// Once a rank's work has ended: takes in what others have sent. Collective.
    void end();

  private:
    Session& session_;
    comm::ControlChannel channel_;
    bool has_sent_ = false;
    std::int64_t received_ = 0;
};

}  // namespace quartet::bench
