#pragma once

#include <string>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// The formulations and transports to run in turn, each once, with `auto` resolved. `library` is
/// plain MPI: it runs over mpi alone where mpi or `auto` is asked for. Collective.
std::vector<Variant> variants(Session& session);

/// Throws Unavailable unless the program has the formulation. Local.
void require_formulation(const Session& session, Formulation formulation);

/// The name of a row that is measured here. Local.
RowName row_name(const Session& session, const Variant& variant, std::string size);

}  // namespace quartet::bench
