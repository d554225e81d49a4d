#include "bench/measure/run_series.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/measure/disturbance.hpp"
#include "bench/results/samples.hpp"

namespace quartet::bench {

namespace {

constexpr int fewest_automatic_runs = 6;  // fewer have no 95% interval
constexpr int most_automatic_runs = 200;
constexpr int most_repeats = 3;  // of the runs asked for, with the disturbed ones

}  // namespace

std::vector<Run> runs_in(const std::vector<Sample>& samples) {
    std::vector<Run> runs;
    std::ranges::transform(samples, std::back_inserter(runs), &Sample::run);
    return runs;
}

bool RunSeries::is_complete() const {
    if (wanted_.count) {
        return size() >= *wanted_.count;
    }
    return size() >= most_automatic_runs || (size() >= fewest_automatic_runs &&
                                             converged(times(runs_in(samples_)), wanted_.interval));
}

bool RunSeries::wants_run() const {
    if (!asked_) {
        return !is_complete();
    }
    const auto clean =
        std::ranges::count_if(samples_, [this](const Sample& sample) { return is_clean(sample); });
    return clean < *asked_ && size() < most_repeats * *asked_;
}

void RunSeries::begin_repeats(std::optional<double> best_clock_probe) {
    asked_ = size();
    best_clock_probe_ = best_clock_probe;
}

bool RunSeries::is_clean(const Sample& sample) const {
    return causes_of(sample.run, best_clock_probe_).empty();
}

void RunSeries::start_anew() {
    earlier_ = std::move(samples_);
    samples_.clear();
    asked_.reset();
    ++measured_again_;
}

bool RunSeries::give_up() {
    if (earlier_.empty()) {
        return false;
    }
    samples_ = std::exchange(earlier_, {});
    return true;
}

void RunSeries::end() {
    choose_among_repeats();
    if (!earlier_.empty()) {
        if (!is_complete()) {
            std::swap(samples_, earlier_);
        }
        std::ranges::move(runs_in(earlier_), std::back_inserter(replaced_));
        earlier_.clear();
    }
    std::ranges::stable_sort(replaced_, {}, &Run::round);
}

// Chosen by what disturbed them, never by their own times.
void RunSeries::choose_among_repeats() {
    if (!asked_ || size() <= *asked_) {
        return;
    }
    std::ranges::stable_partition(samples_,
                                  [this](const Sample& sample) { return is_clean(sample); });
    const auto kept = samples_.begin() + *asked_;
    for (auto sample = kept; sample != samples_.end(); ++sample) {
        replaced_.push_back(std::move(sample->run));
    }
    samples_.erase(kept, samples_.end());
    std::ranges::stable_sort(samples_, {}, [](const Sample& sample) { return sample.run.round; });
    asked_.reset();
}

}  // namespace quartet::bench
