#include "stream/push_case.hpp"

#include <utility>

#include "device/host_access.hpp"
#include "device/vector_operations.hpp"
#include "stream/push.hpp"

namespace quartet::stream {

PushCase::Buffers::Buffers(bench::BufferPlan& plan, bench::Session& session,
                           const bench::Variant& variant, const Problem& problem) {
    const int rank = session.world().rank();
    const Route* route = problem.route_of(rank);
    const bool receives = route != nullptr && route->receiver == rank;
    const bool sends = route != nullptr && !receives;
    source = plan.add<float>(sends ? problem.elements() : 0, bench::Room::device_window);
    target = plan.add<float>(receives ? problem.elements() : 0, bench::Room::device_window);
    expected = plan.add<float>(receives ? problem.elements() : 0, bench::Room::host).count;
    if (route != nullptr) {
        plan_push(plan, session, variant, problem, *route);
        PushLimit::plan(plan, problem, session);
    }
}

PushCase::PushCase(bench::Session& session, const bench::Variant& variant, Problem problem)
    : session_(session),
      problem_(std::move(problem)),
      rank_(session.world().rank()),
      route_(problem_.route_of(rank_)),
      transport_(session.transport(variant.transport)) {
    session.require_formulation(variant.formulation);
    // Before there are windows: they could not be freed while an exception unwinds.
    require_usable(variant.formulation, transport_);
    make_vectors(variant);
    for (const Route& route : problem_.routes) {
        comm::PushPlan plan{route.senders, route.receiver, {}, {}};
        if (&route == route_) {
            plan.source = source_.view();
            plan.target = target_.view();
        }
        pushes_.push_back(make_push(variant.formulation, plan, session, transport_, problem_.size));
    }
}

void PushCase::make_vectors(const bench::Variant& variant) {
    bench::BufferPlan plan;
    const Buffers buffers(plan, session_, variant, problem_);
    source_ = allocate(buffers.source, transport_);
    target_ = allocate(buffers.target, transport_);
    expected_.resize(static_cast<std::size_t>(buffers.expected));
    const std::uint64_t seed = session_.options().seed;
    if (sends()) {
        device::HostAccess(session_.device(), session_.stream())
            .write(source_.view(), [&](std::int64_t first, std::span<float> values) {
                fill_source(values, seed, rank_, first);
            });
    }
    if (receives()) {
        fill_expected(expected_, seed, *route_, problem_.pushes);
    }
}

void PushCase::prepare() {
    if (receives()) {
        session_.device().vectors().fill(0.0F, target_.view(), session_.stream());
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

bench::Details PushCase::details() const {
    bench::Details details;
    if (const auto huge = transport_.huge_pages()) {
        details.flags = {{"huge_pages", *huge}};
    }
    return details;
}

}  // namespace quartet::stream
