#pragma once

#include "matmul/problem/context.hpp"

namespace quartet::matmul {

/// Plans formulation native: in the host's memory, from files, or through a GPU. Adds its own to
/// `planned`. Throws UsageError, on all ranks alike. Collective.
ProductPlan plan_native_product(const CaseContext& context, bench::PlannedCase& planned);

}  // namespace quartet::matmul
