#pragma once

#include "matmul/problem/context.hpp"

namespace quartet::matmul {

/// Plans formulation dataflow. Adds its own to `planned`. Throws UsageError, on all ranks alike.
/// Collective.
ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned);

}  // namespace quartet::matmul
