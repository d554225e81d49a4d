#include "stream/native_push.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "stream/dataflow_push.hpp"
#include "stream/library_push.hpp"

namespace quartet::stream {

namespace {

std::string pair_name(const Route& route) {
    return fmt::format("pair:{}-{}", route.senders.front(), route.receiver);
}

// Senders that the receiver can reach only over a network.
std::int64_t remote_senders(const Route& route, const comm::Topology& topology) {
    return std::ranges::count_if(
        route.senders, [&](int sender) { return !topology.same_node(sender, route.receiver); });
}

// Target, expected sums, the vectors of the limit; what arrives lies somewhere, too.
Bytes receiver_memory(const Problem& problem, const bench::Variant& variant,
                      const comm::TransportSettings& settings, std::int64_t senders) {
    const bool whole_vectors = variant.formulation != bench::Formulation::native ||
                               settings.pipeline == comm::Pipeline::off;
    const std::int64_t under_way = variant.formulation == bench::Formulation::library ? 1 : 2;
    const Bytes piece = whole_vectors ? problem.size : std::min(settings.chunk, problem.size);
    const bool staged =
        variant.transport == "mpi" || variant.formulation == bench::Formulation::library;
    return (3 + senders) * problem.size + (staged ? senders * under_way * piece : Bytes{0});
}

// The vector, and for the queue the places that it is posted from.
Bytes sender_memory(const Problem& problem, const bench::Variant& variant) {
    return (variant.formulation == bench::Formulation::dataflow ? 3 : 1) * problem.size;
}

// Bytes through the receiver's memory per byte pushed: reading the source, reading and writing the
// target, and what a copy between them adds (less where it stays in the cache).
std::int64_t traffic_factor(const bench::Variant& variant) {
    return variant.formulation == bench::Formulation::library ? 7
           : variant.transport == "mpi"                       ? 5
                                                              : 3;
}

// On a GPU the vectors are in its memory; the sums that are expected are the CPU's, and what it
// sees the GPU's memory through.
void move_to_gpu(bench::PlannedCase& planned, const Problem& problem, bool receives) {
    const Bytes expected = receives ? problem.size : Bytes{0};
    planned.device_memory = {planned.memory.value - expected.value};
    planned.memory =
        expected + device::HostAccess::memory(problem.size, device::MemoryKind::device);
    planned.shared_memory = {};
}

bench::RowName row_name(bench::Session& session, const bench::Variant& variant,
                        const Problem& problem) {
    bench::RowName name = session.row_name(variant, to_exact_string(problem.size));
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

// The paper's clock is the sender's. In rounds of pairs each pair is a row of its own.
void add_clock_rows(bench::PlannedCase& planned, const Problem& problem) {
    if (problem.pattern == Pattern::all_to_one) {
        planned.clock_rows = {{bench::paper_suffix, planned.work}};
        planned.compared = bench::ComparedRow::paper_clock;
        return;
    }
    planned.whole = bench::WholeRow::omitted;
    planned.compared = bench::ComparedRow::none;
    for (const Route& route : problem.routes) {
        planned.clock_rows.push_back({pair_name(route), problem.work(route)});
    }
}

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem) {
    const int rank = session.world().rank();
    const Route* route = problem.route_of(rank);
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem);
    planned.work = problem.work();
    planned.traffic = traffic_factor(variant) * problem.work(problem.routes.front()).bytes;
    planned.probe_share = 1;
    if (route != nullptr) {
        planned.memory = route->receiver == rank
                             ? receiver_memory(problem, variant, session.options().transfer,
                                               std::ssize(route->senders))
                             : sender_memory(problem, variant);
        if (remote_senders(*route, session.topology()) > 0) {
            planned.memory = planned.memory + problem.size;  // of the link's probe
        }
        const bool windows = variant.transport == "shm" || variant.transport == "rma";
        const bool sends = route->receiver != rank;
        planned.shared_memory = !windows ? Bytes{0}
                                : sends  ? sender_memory(problem, variant)
                                         : problem.size;
        if (session.device().memory_kind() == device::MemoryKind::device) {
            move_to_gpu(planned, problem, route->receiver == rank);
        }
    }
    planned.conditions = {{"device", variant.device}, {"transport", variant.transport}};
    add_clock_rows(planned, problem);
    planned.make = [&session, variant, problem]() -> std::unique_ptr<bench::Case> {
        return std::make_unique<NativePush>(session, variant, problem);
    };
    return planned;
}

void plan_cases(bench::Session& session, const Options& given) {
    const Options options = with_defaults(given);
    std::string sizes;
    for (const Bytes size : options.sizes) {
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", to_exact_string(size));
    }
    session.resolve("sizes", sizes);
    session.resolve("pushes", std::to_string(options.pushes));
    for (const bench::Variant& variant : session.variants()) {
        for (const Problem& problem : problems(options, session.world().size())) {
            session.add(planned_case(session, variant, problem));
        }
    }
}

NativePush::NativePush(bench::Session& session, const bench::Variant& variant,
                       const Problem& problem)
    : session_(session),
      problem_(problem),
      rank_(session.world().rank()),
      route_(problem_.route_of(rank_)),
      transport_(session.transport(variant.transport)) {
    session.require_formulation(variant.formulation);
    // Before there are windows: they could not be freed while an exception unwinds.
    if (variant.formulation == bench::Formulation::dataflow) {
        flow::require_queues(transport_);
    }
    if (variant.formulation == bench::Formulation::library &&
        !transport_.can(comm::Capability::send_receive)) {
        throw Unavailable(fmt::format(
            "formulation library is plain MPI (transport {} has no send and receive): add "
            "--transport mpi",
            transport_.name()));
    }
    make_vectors();
    prepare_pushes(variant.formulation);
}

void NativePush::make_vectors() {
    source_ = comm::allocate<float>(transport_, sends() ? problem_.elements() : 0);
    target_ = comm::allocate<float>(transport_, receives() ? problem_.elements() : 0);
    const std::uint64_t seed = session_.options().seed;
    if (sends()) {
        device::HostAccess(session_.device(), session_.stream())
            .write(source_.view(), [&](std::int64_t first, std::span<float> values) {
                fill_source(values, seed, rank_, first);
            });
    }
    if (receives()) {
        expected_.resize(static_cast<std::size_t>(problem_.elements()));
        fill_expected(expected_, seed, *route_, problem_.pushes);
    }
}

void NativePush::prepare_pushes(bench::Formulation formulation) {
    for (const Route& route : problem_.routes) {
        comm::PushPlan plan{route.senders, route.receiver, {}, {}};
        if (&route == route_) {
            plan.source = source_.view();
            plan.target = target_.view();
        }
        if (formulation == bench::Formulation::library) {
            pushes_.push_back(
                std::make_unique<LibraryPush>(plan, transport_, session_.device(), rank_));
        } else if (formulation == bench::Formulation::dataflow) {
            const int bound = session_.options().queue;
            pushes_.push_back(std::make_unique<DataflowPush>(
                plan, transport_, session_.device(), session_.world(), problem_.size, bound));
        } else {
            pushes_.push_back(transport_.prepare_push(plan));
        }
    }
}

void NativePush::prepare_limit() {
    if (receives()) {
        // As many sources as there are senders: what the receiver reads is as large.
        const auto senders = static_cast<int>(route_->senders.size());
        local_add_.emplace(session_.device(), bench::AccessPattern::add, problem_.size, senders);
        // As many additions as in a run: the more follow on one another, the more of the vectors
        // a large cache comes to keep.
        local_passes_ = local_add_->passes_for(bench::longest_probe_time, problem_.pushes * senders,
                                               session_.stream());
    }
    for (const Route& route : problem_.routes) {
        const auto remote = std::ranges::find_if(route.senders, [&](int sender) {
            return !session_.topology().same_node(sender, route.receiver);
        });
        if (remote != route.senders.end()) {
            links_.push_back(std::make_unique<bench::PairProbe>(session_.transport("mpi"),
                                                                session_.world(), *remote,
                                                                route.receiver, problem_.size));
        }
    }
}

void NativePush::prepare() {
    if (receives()) {
        session_.device().vectors().fill(0.0F, target_.view(), session_.stream());
    }
}

void NativePush::run(bench::Clocks& clocks) {
    const Seconds begin = now();
    for (const auto& push : pushes_) {
        push->run(problem_.pushes, session_.stream());
    }
    const Seconds elapsed = now() - begin;
    if (problem_.pattern == Pattern::all_to_one && sends()) {
        clocks.record(0, elapsed);
    }
    if (problem_.pattern == Pattern::pairs && route_ != nullptr) {
        clocks.record(static_cast<std::size_t>(route_ - problem_.routes.data()), elapsed);
    }
}

bench::Check NativePush::verify() {
    double wrong = 0;
    if (receives()) {
        const auto count_wrong = [&](std::int64_t first, std::span<const float> found) {
            const auto expected = std::span(expected_).subspan(static_cast<std::size_t>(first));
            for (std::size_t index = 0; index < found.size(); ++index) {
                wrong += found[index] == expected[index] ? 0 : 1;
            }
        };
        device::HostAccess(session_.device(), session_.stream())
            .read(device::View<const float>(target_.view()), count_wrong);
    }
    const double all_wrong = session_.world().sum(wrong);
    return {.passed = all_wrong == 0, .error = all_wrong, .tolerance = 0};
}

std::vector<bench::LimitComponent> NativePush::limit() {
    constexpr int messages = 3;
    double adding = 0;
    if (receives()) {
        const auto additions = static_cast<double>(problem_.pushes * std::ssize(route_->senders));
        adding = additions * local_add_->measure(local_passes_, session_.stream()).value;
    }
    std::vector<bench::LimitComponent> found{{"local add", {session_.world().maximum(adding)}}};
    if (links_.empty()) {
        return found;
    }
    double sending = 0;
    std::size_t link = 0;
    for (const Route& route : problem_.routes) {
        const std::int64_t remote = remote_senders(route, session_.topology());
        if (remote > 0) {
            const Seconds message = links_[link++]->measure(messages, session_.stream());
            sending =
                std::max(sending, static_cast<double>(problem_.pushes * remote) * message.value);
        }
    }
    found.push_back({"pair link", {session_.world().maximum(sending)}});
    return found;
}

bench::Details NativePush::details() const {
    bench::Details details;
    if (const auto huge = transport_.huge_pages()) {
        details.flags = {{"huge_pages", *huge}};
    }
    return details;
}

}  // namespace quartet::stream
