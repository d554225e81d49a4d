#include "cg/limit.hpp"

#include <algorithm>

#include "bench/measure/probes.hpp"
#include "device/blas.hpp"

namespace quartet::cg {

Limit::Buffers::Buffers(bench::Arena& arena, const Problem& problem)
    : x(arena.make<double>(problem.size)), y(arena.make<double>(problem.size)) {}

Limit::Limit(bench::Session& session, const Problem& problem, MatrixShare* share, std::int64_t rows)
    : session_(session),
      work_(problem.work(1)),
      arithmetic_(session.device(), share != nullptr ? bench::ArithmeticLimit::Part::computes
                                                     : bench::ArithmeticLimit::Part::waits) {
    session.world().barrier();  // before the ranks measure: they share the machine's memory
    if (share != nullptr && !share->storage().empty()) {
        probe_.emplace(session.device(), share->storage());
        add_products(problem, *share, rows);
        const Seconds pass = probe_->measure(1, session.stream());
        passes_ = bench::passes_in(bench::probe_time_beside(problem.iterations * pass), pass);
    }
    way_ = bench::by_ranks(probe_ ? probe_->way() : "", session.world());
}

void Limit::add_products(const Problem& problem, MatrixShare& share, std::int64_t rows) {
    bench::Arena arena(session_.device());
    buffers_.emplace(arena, problem);
    const device::View<const double> x = buffers_->x.view();
    const device::View<double> y = buffers_->y.view();
    const std::int64_t size = problem.storage == Storage::symmetric ? problem.size : rows;
    probe_->add_way("the product", [&share, x, y = y.part(0, size)](device::Stream& stream) {
        share.multiply(x, y, stream);
    });
    // The same memory as rows one after another, but for less than one at its end.
    const std::int64_t whole = std::min(share.storage().size() / problem.size, problem.size);
    probe_->add_way(
        "gemv", [this, whole, x, y = y.part(0, whole), size = problem.size,
                 elements = share.storage().part(0, whole * problem.size)](device::Stream& stream) {
            session_.device().blas().gemv(whole, size, elements, x, y, stream);
        });
}

std::vector<bench::LimitComponent> Limit::measure() {
    double rate = 0;
    if (probe_) {
        const Seconds pass = probe_->measure(passes_, session_.stream());
        rate = static_cast<double>(probe_->traffic().value) / pass.value;
    }
    const double seconds = static_cast<double>(work_.bytes.value) / session_.world().sum(rate);
    std::vector<bench::LimitComponent> found{{"reading the matrix", {seconds}}};
    found.front().way = way_;
    found.push_back(arithmetic_.measure(work_.flops, session_.world(), session_.stream()));
    return found;
}

}  // namespace quartet::cg
