#include "bench/checkpoint/set_up.hpp"

#include <fmt/format.h>

#include "bench/results/version.hpp"
#include "comm/mpi/mpi_session.hpp"

namespace quartet::bench {

SetUp set_up_of(Session& session, const Variant& variant) {
    return {{"formulation", std::string(name(variant.formulation))},
            {"transport", variant.transport},
            {"ranks", std::to_string(session.world().size())},
            {"threads", std::to_string(session.threads())},
            {"device", session.device().description()},
            {"isa", session.isa()},
            {"version", std::string(version())},
            {"commit", std::string(commit())},
            {"compiler", std::string(compiler())},
            {"flags", std::string(compiler_flags())},
            {"mpi", comm::MpiSession::library_version()}};
}

std::string differences(const SetUp& found, const SetUp& now) {
    std::string text;
    for (const auto& [what, value] : now) {
        const auto before = found.find(what);
        const std::string was = before == found.end() ? "unknown" : before->second;
        if (was != value) {
            text += fmt::format("{}{} {} (was {})", text.empty() ? "" : ", ", what, value, was);
        }
    }
    return text;
}

std::string as_it_was_begun(const SetUp& found, const SetUp& now) {
    const std::string other = differences(found, now);
    return other.empty() ? " as it was begun" : ", not as before, so the bits may differ: " + other;
}

}  // namespace quartet::bench
