#include "bench/results/formulation.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/nearest_word.hpp"

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

std::vector<std::string> formulation_names() {
    std::vector<std::string> names;
    for (const Formulation formulation : all_formulations) {
        names.emplace_back(name(formulation));
    }
    return names;
}

Formulation parse_formulation(std::string_view word) {
    const auto found = std::ranges::find(all_formulations, word,
                                         [](Formulation formulation) { return name(formulation); });
    if (found == all_formulations.end()) {
        throw UsageError(not_one_of(word, formulation_names()));
    }
    return *found;
}

}  // namespace quartet::bench
