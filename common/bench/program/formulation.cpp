#include "bench/program/formulation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace quartet::bench {

std::string_view name(Formulation formulation) {
    switch (formulation) {
        case Formulation::native:
            return "native";
        case Formulation::dataflow:
            return "dataflow";
        case Formulation::library:
            return "library";
    }
    throw Failure("unknown formulation");
}

Formulation parse_formulation(std::string_view word) {
    const auto found = std::ranges::find(all_formulations, word,
                                         [](Formulation formulation) { return name(formulation); });
    if (found == all_formulations.end()) {
        throw UsageError(fmt::format("'{}' is not one of native|dataflow|library", word));
    }
    return *found;
}

}  // namespace quartet::bench
