#pragma once

#include <map>
#include <string>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// How a job was run, as far as bits may depend on it: "ranks": "4".
using SetUp = std::map<std::string, std::string>;

/// Formulation, transport, ranks, threads, device, version, compiler and MPI.
SetUp set_up_of(Session& session, const Variant& variant);

/// What differs: "ranks 2 (was 3), threads 1 (was 2)"; empty where nothing does.
std::string differences(const SetUp& found, const SetUp& now);

/// For a resumed row's note: " as it was begun", or what differs.
std::string as_it_was_begun(const SetUp& found, const SetUp& now);

}  // namespace quartet::bench
