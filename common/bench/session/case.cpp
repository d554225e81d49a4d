#include "bench/session/case.hpp"

namespace quartet::bench {

Runs runs_of(const PlannedCase& planned, const Runs& asked) {
    return planned.repetition == Repetition::once ? Runs{1, asked.interval, 0} : asked;
}

std::string PlannedCase::why_alone() const {
    return repetition == Repetition::once ? "it runs once, with checkpoints"
           : uses_files                   ? "its data are in files, and the page cache is one"
                                          : "";
}

}  // namespace quartet::bench
