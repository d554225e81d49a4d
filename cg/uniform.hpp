#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data_source.hpp"

namespace quartet::cg {

/// Elements of the named array, uniform in [-1, 1).
inline std::vector<double> symmetric_uniform(std::int64_t size, std::uint64_t seed,
                                             std::string_view name) {
    std::vector<double> values(static_cast<std::size_t>(size));
    DataSource(seed, name).fill_uniform(std::span(values), 0);
    for (double& value : values) {
        value = 2 * value - 1;
    }
    return values;
}

/// The array that is the solution of systems which are made to have one.
inline constexpr std::string_view solution_name = "cg/solution";

}  // namespace quartet::cg
