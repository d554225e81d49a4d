#include "stream/push_case.hpp"

#include <utility>

#include "bench/session/variants.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "stream/push.hpp"

namespace quartet::stream {

PushCase::Buffers::Buffers(bench::Arena& arena, const Problem& problem, int rank)
    : source(arena.make<float>(problem.sends(rank) ? problem.elements() : 0,
                               bench::Room::device_window)),
      target(arena.make<float>(problem.receives(rank) ? problem.elements() : 0,
                               bench::Room::device_window)),
      expected(arena.make_vector<float>(problem.receives(rank) ? problem.elements() : 0)) {}

namespace {

// Checked before there are windows: they could not be freed while an exception unwinds.
comm::Transport& usable_transport(bench::Session& session, const bench::Variant& variant) {
    bench::require_formulation(session, variant.formulation);
    comm::Transport& transport = session.transport(variant.transport);
    require_usable(variant.formulation, transport);
    return transport;
}

}  // namespace

PushCase::PushCase(bench::Session& session, const bench::Variant& variant, Problem problem)
    : session_(session),
      problem_(std::move(problem)),
      rank_(session.world().rank()),
      route_(problem_.route_of(rank_)),
      transport_(usable_transport(session, variant)),
      arena_(session.device(), transport_),
      buffers_(arena_, problem_, rank_) {
    fill();
    for (const Route& route : problem_.routes) {
        comm::PushPlan plan{route.senders, route.receiver, {}, {}};
        if (&route == route_) {
            plan.source = buffers_.source.view();
            plan.target = buffers_.target.view();
        }
        pushes_.push_back(make_push(variant.formulation, plan, session, transport_, problem_.size));
    }
}

void PushCase::fill() {
    const std::uint64_t seed = session_.options().seed;
    if (sends()) {
        device::HostAccess(session_.device(), session_.stream())
            .write(buffers_.source.view(), [&](std::int64_t first, std::span<float> values) {
                fill_source(values, seed, rank_, first);
            });
    }
    if (receives()) {
        fill_expected(buffers_.expected, seed, *route_, problem_.pushes);
    }
}

void PushCase::prepare() {
    if (receives()) {
        session_.device().vectors().fill(0.0F, buffers_.target.view(), session_.stream());
    }
}

void PushCase::run(bench::Clocks& clocks) {
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

bench::Check PushCase::verify() {
    double wrong = 0;
    if (receives()) {
        const auto count_wrong = [&](std::int64_t first, std::span<const float> found) {
            const auto expected =
                std::span(buffers_.expected).subspan(static_cast<std::size_t>(first));
            for (std::size_t index = 0; index < found.size(); ++index) {
                wrong += found[index] == expected[index] ? 0 : 1;
            }
        };
        device::HostAccess(session_.device(), session_.stream())
            .read(device::View<const float>(buffers_.target.view()), count_wrong);
    }
    const double all_wrong = session_.world().sum(wrong);
    return {.passed = all_wrong == 0, .error = all_wrong, .tolerance = 0};
}

bench::Details PushCase::details() const {
    bench::Details details;
    if (const auto huge = transport_.huge_pages()) {
        details.flags = {{"huge_pages", *huge}};
    }
    return details;
}

}  // namespace quartet::stream
