#include "bench/measure/by_ranks.hpp"

#include <fmt/format.h>

#include <map>

namespace quartet::bench {

std::string by_ranks(const std::string& choice, const comm::Communicator& world) {
    std::map<std::string, int> counts;
    for (const std::string& of_rank : world.gather(choice)) {
        if (!of_rank.empty()) {
            ++counts[of_rank];
        }
    }
    if (counts.size() <= 1) {
        return counts.empty() ? "" : counts.begin()->first;
    }
    std::string text;
    for (const auto& [chosen, ranks] : counts) {
        text += fmt::format("{}{} on {} of {} ranks", text.empty() ? "" : ", ", chosen, ranks,
                            world.size());
    }
    return text;
}

}  // namespace quartet::bench
