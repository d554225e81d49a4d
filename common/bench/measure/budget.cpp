#include "bench/measure/budget.hpp"

#include <algorithm>

namespace quartet::bench {

Budget::Budget(std::optional<Seconds> budget, Seconds now, std::size_t cases) : waiting_(cases) {
    if (budget) {
        end_ = now + *budget;
    }
}

// Cases that are measured anew are counted no more: each group of them may take all that is left.
void Budget::begin_group(std::size_t cases, Seconds now) {
    if (end_) {
        const double share =
            static_cast<double>(cases) / static_cast<double>(std::max(cases, waiting_));
        group_end_ = now + share * (*end_ - now);
    }
    waiting_ -= std::min(cases, waiting_);
}

}  // namespace quartet::bench
