#pragma once

#include <optional>
#include <string>

#include "comm/mpi/communicator.hpp"
#include "core/check.hpp"

namespace quartet::comm {

/// Does local work; the Failure of a rank that could not do it, every rank throws. Collective.
template <typename Work>
void agree(const Communicator& comm, Work work) {
    std::optional<std::string> problem;
    try {
        work();
    } catch (const Failure& failure) {
        problem = failure.what();
    }
    if (const auto first = comm.first(problem)) {
        throw Failure(*first);
    }
}

}  // namespace quartet::comm
