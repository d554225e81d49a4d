#pragma once

#include <map>
#include <string>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// The settings of a job on which the bits of the result may depend: "ranks": "4".
using SetUp = std::map<std::string, std::string>;

/// Formulation, transport, ranks, threads, device, version, compiler and MPI.
SetUp set_up_of(Session& session, const Variant& variant);

/// The differences in words: "ranks 2 (was 3), threads 1 (was 2)"; empty if there are none.
std::string differences(const SetUp& found, const SetUp& now);

/// Words for a resumed row's note: " as it was begun", or the differences.
std::string as_it_was_begun(const SetUp& found, const SetUp& now);

}  // namespace quartet::bench
