#include <algorithm>

#include "bench/session/variants.hpp"
#include "comm/mpi/communicator.hpp"
#include "device/host_access.hpp"
#include "fft/formulations.hpp"

namespace quartet::fft {

TransformCase::TransformCase(device::Arena& arena, bench::Session& session, const Problem& problem,
                             const bench::DataOptions& data)
    : session_(session),
      problem_(problem),
      data_(data),
      guard_(session.threads()),
      check_(arena, problem.points, session.options().seed, session.threads(), session.world()) {
    if (data.in_files() && !arena.plans()) {
        prepare_tiles(session, problem, data);
    }
}

void TransformCase::expect(const IndexOrder& input_order, const IndexOrder& output_order,
                           device::View<const Point> input, KeepsInput kept) {
    if (session_.options().verify == bench::Switch::off) {
        return;
    }
    if (kept == KeepsInput::yes) {
        guard_.remember(input);
    }
    check_.expect(input_order, output_order, pieces_of(input));
}

ReadPieces TransformCase::pieces_of(device::View<const Point> array) const {
    return [this, array](const UsePiece& use) {
        device::HostAccess(session_.device(), session_.stream()).read(array, use);
    };
}

namespace {

bench::RowName row_name(bench::Session& session, const bench::Variant& variant,
                        const Problem& problem, const Options& options) {
    bench::RowName name = bench::row_name(session, variant, std::to_string(problem.points));
    name.size_key = "n";
    name.words = {{"order", std::string(fft::name(problem.order))}};
    if (variant.formulation == bench::Formulation::library) {
        name.factors = {{"plan", std::string(fft::name(options.planning))}};
        if (!options.data.in_files()) {
            return name;
        }
    }
    name.factors.emplace_back("tiles", std::to_string(problem.tiles));
    if (variant.formulation == bench::Formulation::dataflow) {
        name.factors.emplace_back("queue", std::to_string(session.options().queue));
    }
    if (options.data.in_files()) {
        name.factors.emplace_back("data", "files");
        name.factors.emplace_back("cache", std::string(quartet::name(options.data.cache)));
    }
    return name;
}

void add(bench::Session& session, const NativePlan& plan, bench::PlannedCase& planned) {
    planned.make = [&session, plan](device::Arena& arena) {
        return make_native_case(arena, session, plan);
    };
}

// The paper's formulation: one reducer, which merges, and workers.
void add_dataflow(bench::Session& session, const bench::Variant& variant, const Problem& problem,
                  const Options& options, bench::PlannedCase& planned) {
    const DataflowPlan plan = plan_dataflow(session, variant.transport, problem, options.data);
    planned.roles = plan.roles;
    planned.work.workers = plan.roles.workers();
    planned.traffic = planned.work.bytes;
    planned.has_paper_time = true;
    planned.plan_note = "rank 0 merges, the others work";
    planned.make = [&session, plan](device::Arena& arena) {
        return make_dataflow_case(arena, session, plan);
    };
}

void refuse(const char* why, bench::PlannedCase& planned) {
    planned.make = [why](device::Arena&) -> std::unique_ptr<bench::Case> {
        throw Unavailable(why);
    };
}

Problem as_one_tile(const Problem& problem) {
    return {problem.points, 1, problem.order};
}

// On hosts FFTW's transform; on a GPU, with one rank, the vendor's own transform.
void add_library(bench::Session& session, const bench::Variant& variant, const Problem& problem,
                 const Options& options, bench::PlannedCase& planned) {
    if (!device::has_own_memory(session.device())) {
        planned.make = [&session, variant, problem, options](device::Arena& arena) {
            comm::require_plain_mpi(session.transport(variant.transport), "formulation library");
            return make_library_case(arena, session, problem, options);
        };
        return;
    }
    if (session.world().size() > 1) {
        return refuse(
            "not available: formulation library of fft on several GPUs (on one it is the "
            "vendor's own transform): use one rank, or --device host",
            planned);
    }
    NativePlan plan = plan_native(session, variant.transport, as_one_tile(problem), {});
    if (plan.algorithm != Algorithm::single_rank) {
        return refuse(
            "formulation library of fft transforms out of place, and the GPU has no room for that: "
            "ask for a smaller size, or for the native formulation",
            planned);
    }
    plan.algorithm = Algorithm::library;
    add(session, plan, planned);
}

// The number of tiles is one if neither the user nor a folder gives it and the device transforms
// all points as one tile, with memory for the result beside the input.
Problem problem_for(const Options& options, std::int64_t points, bench::Session& session) {
    const Problem wanted = problem(options, points, session.world().size());
    if (options.tiles || options.data.in_files()) {
        return wanted;
    }
    const NativePlan plan = plan_native(session, "", as_one_tile(wanted), {});
    return plan.algorithm == Algorithm::single_rank ? plan.problem : wanted;
}

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const Options& options) {
    const int ranks = session.world().size();
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem, options);
    if (options.data.in_files()) {
        planned.repetition = bench::Repetition::alone;
    }
    planned.work = problem.work(ranks);
    planned.traffic = {planned.work.bytes.value / ranks};
    switch (variant.formulation) {
        case bench::Formulation::native:
            add(session, plan_native(session, variant.transport, problem, options.data), planned);
            break;
        case bench::Formulation::dataflow:
            add_dataflow(session, variant, problem, options, planned);
            break;
        case bench::Formulation::library:
            add_library(session, variant, problem, options, planned);
            break;
    }
    return planned;
}

void plan_cases(bench::Session& session, const Options& options) {
    bench::require_consistent(options.data, options.sizes.size());
    std::vector<Problem> problems;
    std::vector<std::int64_t> tiles;
    comm::agree<UsageError>(session.world(), [&] {
        for (const std::int64_t points : options.sizes) {
            problems.push_back(problem_for(options, points, session));
            if (std::ranges::find(tiles, problems.back().tiles) == tiles.end()) {
                tiles.push_back(problems.back().tiles);
            }
        }
        if (options.data.in_files()) {
            bench::check_tile_count(problems.front().tiles, "--tiles",
                                    "ask for fewer, longer ones");
            tile_folder(problems.front(), session.options().seed, options.data)
                .require_usable(options.data.generate);
        }
    });
    session.resolve("size", bench::join_sizes(options.sizes));
    session.resolve("tiles", bench::join_sizes(tiles));
    for (const bench::Variant& variant : bench::variants(session)) {
        if (variant.formulation == bench::Formulation::library && options.data.in_files() &&
            device::has_own_memory(session.device())) {
            throw UsageError(
                "--formulation library has its data in a GPU's memory (the vendor's transform "
                "takes no tiles): leave out --data, or add --device host");
        }
        for (Problem wanted : problems) {
            if (variant.formulation == bench::Formulation::dataflow) {
                wanted.order = ResultOrder::natural;  // as one merger has it
            }
            session.add(planned_case(session, variant, wanted, options));
        }
    }
}

}  // namespace quartet::fft
