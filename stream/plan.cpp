#include "stream/plan.hpp"

#include <fmt/format.h>

#include "bench/session/variants.hpp"
#include "device/host_access.hpp"
#include "stream/push.hpp"
#include "stream/push_case.hpp"

namespace quartet::stream {

namespace {

std::string pair_name(const Route& route) {
    return fmt::format("pair:{}-{}", route.senders.front(), route.receiver);
}

// Bytes through the receiver's memory per byte pushed: reading the source, reading and writing the
// target, and what a copy between them adds (less if it stays in the cache).
std::int64_t traffic_factor(const bench::Variant& variant, const comm::TransportTraits& transport) {
    const bool received = transport.location == comm::PartLocation::received;
    return variant.formulation == bench::Formulation::library ? 7 : received ? 5 : 3;
}

bench::RowName row_name(bench::Session& session, const bench::Variant& variant,
                        const Problem& problem) {
    bench::RowName name = bench::row_name(session, variant, to_exact_string(problem.size));
    name.factors = {{"pushes", std::to_string(problem.pushes)}};
    if (variant.formulation == bench::Formulation::dataflow) {
        name.factors.emplace_back("queue", std::to_string(session.options().queue));
    }
    const comm::TransportSettings defaults;
    const comm::TransportSettings& settings = session.options().transfer;
    if (settings.chunk != defaults.chunk) {
        name.factors.emplace_back("chunk", to_exact_string(settings.chunk));
    }
    if (settings.pipeline != defaults.pipeline) {
        name.factors.emplace_back("pipeline", "off");
    }
    return name;
}

// The paper's clock is the sender's. In rounds of pairs each pair has its own row.
void add_clock_rows(bench::PlannedCase& planned, const Problem& problem) {
    if (problem.pattern == Pattern::all_to_one) {
        planned.clock_rows = {{bench::paper_suffix, planned.work}};
        return;
    }
    planned.whole = bench::WholeRow::omitted;
    for (const Route& route : problem.routes) {
        planned.clock_rows.push_back({pair_name(route), problem.work(route)});
    }
}

std::size_t count_of(const std::vector<std::vector<Route>>& rounds) {
    std::size_t pairs = 0;
    for (const auto& routes : rounds) {
        pairs += routes.size();
    }
    return pairs;
}

void plan_memory(bench::PlannedCase& planned, bench::Session& session, const Problem& problem) {
    const int rank = session.world().rank();
    bench::Arena arena;
    PushCase::Buffers(arena, problem, rank);
    count_push(arena, session, planned.name.variant, problem, *problem.route_of(rank));
    PushLimit::count(arena, problem, session);
    arena.count(device::HostAccess::memory(problem.size, session.device().memory_kind()),
                bench::Room::host);
    bench::announce(arena, session, planned);
}

// The data flow's payloads lie in the hosts' memory.
void plan_traffic(bench::PlannedCase& planned, bench::Session& session, const Problem& problem) {
    const int rank = session.world().rank();
    const Route& route = *problem.route_of(rank);
    const std::int64_t bytes = problem.pushes * problem.size.value;
    const bool flows = planned.name.variant.formulation == bench::Formulation::dataflow;
    if (rank != route.receiver) {
        auto& sent = flows ? planned.moved.payloads : planned.moved.sent;
        sent.resize(static_cast<std::size_t>(session.world().size()));
        sent[static_cast<std::size_t>(route.receiver)] = bytes;
    }
    if (flows && session.device().memory_kind() == device::MemoryKind::device) {
        (rank == route.receiver ? planned.moved.copied_in : planned.moved.copied_out) =
            rank == route.receiver ? std::ssize(route.senders) * bytes : bytes;
    }
}

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem) {
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem);
    planned.work = problem.work();
    planned.traffic = traffic_factor(variant, session.registry().traits(variant.transport)) *
                      problem.work(problem.routes.front()).bytes;
    planned.probe_share = 1;
    if (problem.route_of(session.world().rank()) != nullptr) {
        plan_memory(planned, session, problem);
        plan_traffic(planned, session, problem);
    }
    add_clock_rows(planned, problem);
    planned.make = [&session, variant, problem]() -> std::unique_ptr<bench::Case> {
        return std::make_unique<PushCase>(session, variant, problem);
    };
    return planned;
}

void plan_cases(bench::Session& session, const Options& given) {
    const Options options = with_defaults(given);
    std::string sizes;
    for (const Bytes size : options.sizes) {
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", to_exact_string(size));
    }
    const std::uint64_t seed = session.options().seed;
    session.resolve("sizes", sizes);
    session.resolve("pushes", std::to_string(options.pushes));
    const int ranks = session.world().size();
    if (options.pairs == bench::Switch::on && ranks > most_ranks_with_all_pairs) {
        session.resolve("pairs", fmt::format("{} of {}", count_of(pair_rounds(ranks, seed)),
                                             std::int64_t{ranks} * (ranks - 1)));
    }
    for (const bench::Variant& variant : bench::variants(session)) {
        for (const Problem& problem : problems(options, ranks, seed)) {
            session.add(planned_case(session, variant, problem));
        }
    }
}

}  // namespace quartet::stream
