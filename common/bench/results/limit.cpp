#include "bench/results/limit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/results/samples.hpp"
#include "core/check.hpp"

namespace quartet::bench {

namespace {

bool are_the_same(const std::vector<LimitComponent>& one,
                  const std::vector<LimitComponent>& other) {
    return std::ranges::equal(one, other, {}, &LimitComponent::name, &LimitComponent::name);
}

}  // namespace

void LimitComponent::extend(int some, int all) {
    if (some < all) {
        ranks = some;
        all_ranks = {seconds.value * some / all};
    }
}

const LimitComponent& slowest(std::span<const LimitComponent> components) {
    return *std::ranges::max_element(
        components, {}, [](const LimitComponent& component) { return component.seconds.value; });
}

std::string Limit::what() const {
    std::string text;
    for (std::size_t index = 0; index < components.size(); ++index) {
        const bool is_last = index + 1 == components.size();
        text += (index == 0 ? "" : is_last ? " and " : ", ") + components[index].name;
    }
    return components.size() < 2    ? text
           : components.size() == 2 ? "slower of " + text
                                    : "slowest of " + text;
}

const std::string& Limit::decided_by() const {
    return slowest(components).name;
}

const LimitComponent* Limit::on_some_ranks() const {
    const auto found = std::ranges::find_if(components, [](const LimitComponent& component) {
        return component.all_ranks > Seconds{};
    });
    return found == components.end() ? nullptr : &*found;
}

Limit limit_of(std::span<const std::vector<LimitComponent>> probes) {
    check(!probes.empty() && !probes.front().empty(), "a limit without a component");
    Limit limit{.components = probes.front(), .seconds = {}, .probes = {}};
    for (const std::vector<LimitComponent>& probe : probes) {
        check(are_the_same(probe, limit.components), "probes of different limits");
        limit.probes.push_back(slowest(probe).seconds.value);
    }
    limit.seconds = {median(limit.probes)};
    for (std::size_t index = 0; index < limit.components.size(); ++index) {
        for (Seconds LimitComponent::*time :
             {&LimitComponent::seconds, &LimitComponent::hardware, &LimitComponent::all_ranks}) {
            std::vector<double> seconds;
            std::ranges::transform(probes, std::back_inserter(seconds),
                                   [&](const auto& probe) { return (probe[index].*time).value; });
            limit.components[index].*time = {median(seconds)};
        }
    }
    return limit;
}

}  // namespace quartet::bench
