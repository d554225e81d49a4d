#pragma once

#include "matmul/problem/context.hpp"

namespace quartet::matmul {

/// Plans formulation library. Adds its own to `planned`. Throws UsageError, on all ranks alike.
ProductPlan plan_library_product(const CaseContext& context, bench::PlannedCase& planned);

}  // namespace quartet::matmul
