#include "bench/program/case.hpp"

namespace quartet::bench {

Runs runs_of(const PlannedCase& planned, const Runs& asked) {
    return planned.repetition == Repetition::once ? Runs{1, asked.interval, 0} : asked;
}

}  // namespace quartet::bench
