#pragma once

#include <optional>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "core/check.hpp"

namespace quartet::comm {

/// Does local work that may fail on some ranks only. Returns, on all ranks, the message of the
/// UsageError or Failure of the lowest rank that has one; nothing if none has. Unavailable
/// passes through, since all ranks throw it alike. Collective; `work` itself makes no collective
/// call that a failing rank would miss.
template <typename Work>
std::optional<std::string> first_problem(const Communicator& comm, Work work) {
    std::optional<std::string> problem;
    try {
        work();
    } catch (const UsageError& error) {
        problem = error.what();
    } catch (const Failure& error) {
        problem = error.what();
    }
    return comm.first(problem);
}

/// Does local work that may fail on some ranks only, and throws `Agreed` on all ranks where
/// first_problem() finds one: so no rank goes on alone. Collective.
template <typename Agreed = Failure, typename Work>
void agree(const Communicator& comm, Work work) {
    if (const auto problem = first_problem(comm, work)) {
        throw Agreed(*problem);
    }
}

}  // namespace quartet::comm
