#include "stream/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/session/variants.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"

namespace quartet::stream {

namespace {

comm::Transport& usable_transport(bench::Session& session, const bench::Variant& variant) {
    bench::require_formulation(session, variant.formulation);
    comm::Transport& transport = session.transport(variant.transport);
    if (variant.formulation == bench::Formulation::library &&
        transport.traits().receive == comm::Receive::in_place) {
        comm::require_plain_mpi(transport, "formulation library");
    }
    return transport;
}

}  // namespace

PushCase::PushCase(device::Arena& arena, bench::Session& session, const bench::Variant& variant,
                   Problem problem)
    : session_(session),
      problem_(std::move(problem)),
      rank_(session.world().rank()),
      transport_(usable_transport(session, variant)),
      source_(comm::allocate<float>(arena, transport_,
                                    problem_.sends(rank_) ? problem_.elements() : 0)),
      target_(comm::allocate<float>(arena, transport_,
                                    problem_.receives(rank_) ? problem_.elements() : 0)),
      expected_(arena.make_vector<float>(target_.size())) {
    const comm::PushPlan plan{problem_.senders, problem_.receiver, source_.view(), target_.view()};
    switch (variant.formulation) {
        case bench::Formulation::native:
            push_ = transport_.prepare_push(arena, plan);
            break;
        case bench::Formulation::dataflow:
            push_ = make_dataflow_push(arena, session_, transport_, plan, problem_.size);
            break;
        case bench::Formulation::library:
            push_ = make_library_push(arena, session_, transport_, plan);
            break;
    }
    arena.reserve(device::HostAccess::memory(
        std::max(source_.view().bytes(), target_.view().bytes()), session.device().memory_kind()));
}

void PushCase::set_up() {
    const std::uint64_t seed = session_.options().seed;
    device::HostAccess(session_.device(), session_.stream())
        .write(source_.view(), [&](std::int64_t first, std::span<float> values) {
            fill_source(values, seed, rank_, first);
        });
    if (problem_.receives(rank_)) {
        fill_expected(expected_, seed, problem_);
    }
    push_->run(0, session_.stream());  // the data flow's payloads hold the source from now on
}

void PushCase::prepare() {
    if (problem_.receives(rank_)) {
        session_.device().vectors().fill(0.0F, target_.view(), session_.stream());
    }
}

void PushCase::run() {
    const Seconds begin = now();
    push_->run(problem_.pushes, session_.stream());
    if (problem_.sends(rank_)) {
        pushing_ = now() - begin;
    }
}

bench::Check PushCase::verify() {
    double wrong = 0;
    if (problem_.receives(rank_)) {
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

namespace {

// Bytes through the receiver's memory per byte pushed: reading the source, reading and writing the
// target, and what a copy between them adds (less if it stays in the cache).
std::int64_t traffic_factor(const bench::Variant& variant, const comm::TransportTraits& transport) {
    const bool copied = transport.receive == comm::Receive::copied &&
                        transport.additions == comm::Additions::by_receiver;
    return variant.formulation == bench::Formulation::library ? 7 : copied ? 5 : 3;
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
    if (problem.is_pair == bench::Switch::on) {
        name.suffix = fmt::format("pair:{}-{}", problem.senders.front(), problem.receiver);
    }
    return name;
}

}  // namespace

bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem) {
    bench::PlannedCase planned;
    planned.name = row_name(session, variant, problem);
    planned.work = problem.work();
    const int probed = session.options().limits == bench::Switch::on ? 2 : 1;  // by the limit, too
    const auto& transport = session.registry().traits(variant.transport);
    planned.traffic = probed * traffic_factor(variant, transport) * planned.work.bytes;
    planned.has_paper_time = problem.is_pair == bench::Switch::off;  // the sender's clock
    planned.make = [&session, variant, problem](device::Arena& arena) {
        return std::make_unique<PushCase>(arena, session, variant, problem);
    };
    return planned;
}

void plan_cases(bench::Session& session, Options options) {
    const bool pairs = options.pairs == bench::Switch::on;
    if (options.sizes.empty()) {
        options.sizes = parse_sizes(pairs ? "16" : "2:128");
    }
    options.pushes = options.pushes.value_or(pairs ? 10 : 100);
    std::string sizes;
    for (const Bytes size : options.sizes) {
        sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", to_exact_string(size));
    }
    session.resolve("sizes", sizes);
    session.resolve("pushes", std::to_string(*options.pushes));
    for (const bench::Variant& variant : bench::variants(session)) {
        for (const Problem& problem : problems(options, session.world().size())) {
            session.add(planned_case(session, variant, problem));
        }
    }
}

PushLimit::PushLimit(device::Arena& arena, bench::Session& session, const Problem& problem)
    : session_(session), problem_(problem) {
    if (problem.receives(session.world().rank())) {
        // One source for each sender, so that the receiver reads as much memory as in a run.
        local_add_.emplace(arena, session.device(), bench::AccessPattern::add, problem.size,
                           static_cast<int>(problem.senders.size()));
    }
    std::ranges::copy_if(problem.senders, std::back_inserter(remote_senders_), [&](int sender) {
        return !session.topology().same_node(sender, problem.receiver);
    });
    if (!remote_senders_.empty()) {
        link_.emplace(arena, session.transport(comm::TransportRegistry::plain_mpi()),
                      session.world(), remote_senders_.front(), problem.receiver, problem.size);
    }
}

std::vector<bench::LimitComponent> PushLimit::measure() {
    if (passes_ == 0) {
        // At most as many additions as in a run: the more additions follow one another, the more of
        // the vectors stays in a large cache.
        passes_ = local_add_ ? local_add_->passes_for(bench::longest_probe_time,
                                                      static_cast<int>(problem_.additions()),
                                                      session_.stream())
                             : 1;
        way_ = bench::summarise_over_ranks(local_add_ ? local_add_->way() : "", session_.world());
    }
    double adding = 0;
    if (local_add_) {
        local_add_->fill_target(session_.stream());  // as PushCase::prepare does before a run
        // An untimed pass over all sources: then the caches hold what an earlier run leaves there.
        local_add_->measure(static_cast<int>(problem_.senders.size()), session_.stream());
        adding = static_cast<double>(problem_.additions()) *
                 local_add_->measure(passes_, session_.stream()).value;
    }
    std::vector<bench::LimitComponent> components{
        {"local add", {session_.world().maximum(adding)}}};
    components.front().way = way_;
    if (link_) {  // all remote messages pass the receiver's link
        constexpr int messages = 3;
        const double sending = static_cast<double>(problem_.pushes * std::ssize(remote_senders_)) *
                               link_->measure(messages, session_.stream()).value;
        components.push_back({"pair link", {session_.world().maximum(sending)}});
    }
    return components;
}

}  // namespace quartet::stream
