#include "matmul/library/trials.hpp"

#include <algorithm>

namespace quartet::matmul {

namespace {

Attempt better(const Attempt& first, const Attempt& second) {
    if (first.disturbed != second.disturbed) {
        return first.disturbed ? second : first;
    }
    return second.time < first.time ? second : first;
}

}  // namespace

std::vector<Ranked> fastest_first(std::size_t count, Seconds patience,
                                  const std::function<Attempt(std::size_t)>& attempt) {
    std::vector<Ranked> tried;
    Seconds spent{0};
    for (std::size_t candidate = 0; candidate < count; ++candidate) {
        tried.push_back({candidate, attempt(candidate)});
        spent.value += tried.back().best.time.value;
    }
    const auto is_disturbed = [](const Ranked& one) { return one.best.disturbed; };
    while (spent < patience && std::ranges::any_of(tried, is_disturbed)) {
        for (Ranked& one : tried) {
            if (one.best.disturbed && spent < patience) {
                const Attempt again = attempt(one.candidate);
                spent.value += again.time.value;
                one.best = better(one.best, again);
            }
        }
    }
    std::ranges::stable_sort(tried, {}, [](const Ranked& one) { return one.best.time; });
    return tried;
}

}  // namespace quartet::matmul
