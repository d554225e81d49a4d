#include "bench/session/variants.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quartet::bench {

std::vector<Variant> variants(Session& session) {
    const CommonOptions& options = session.options();
    const comm::TransportRegistry& registry = session.registry();
    std::vector<std::string> transports;
    for (const std::string& name : options.transports) {
        const std::string resolved =
            name == "auto" ? registry.automatic(session.transport_context()) : name;
        if (std::ranges::find(transports, resolved) == transports.end()) {
            transports.push_back(resolved);
        }
    }
    const std::string plain_mpi = comm::TransportRegistry::plain_mpi();
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    const bool has_mpi = has(options.transports, "auto") || has(transports, plain_mpi);
    std::vector<Variant> variants;
    for (const Formulation formulation : options.formulations) {
        const bool is_plain = formulation == Formulation::library && has_mpi;
        for (const std::string& transport : is_plain ? std::vector{plain_mpi} : transports) {
            variants.push_back({formulation, std::string(session.device().name()), transport});
        }
    }
    return variants;
}

void require_formulation(const Session& session, Formulation formulation) {
    const ProgramDescription& program = session.description();
    if (std::ranges::find(program.formulations, formulation) == program.formulations.end()) {
        throw Unavailable(fmt::format("not available in this build: formulation {} of {}",
                                      name(formulation), program.name));
    }
}

RowName row_name(const Session& session, const Variant& variant, std::string size) {
    RowName name;
    name.kernel = session.description().name;
    name.variant = variant;
    name.size = std::move(size);
    name.ranks = session.world().size();
    name.threads = session.threads();
    name.nodes = session.topology().nodes();
    return name;
}

}  // namespace quartet::bench
