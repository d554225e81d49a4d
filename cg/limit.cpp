#include "cg/limit.hpp"

#include <algorithm>

#include "device/blas.hpp"

namespace quartet::cg {

Limit::Limit(device::Arena& arena, bench::Session& session, const Problem& problem,
             MatrixShare* share, std::int64_t rows)
    : session_(session),
      work_(problem.work(1)),
      iterations_(problem.iterations),
      arithmetic_(session.device(), share != nullptr ? bench::ArithmeticLimit::Part::computes
                                                     : bench::ArithmeticLimit::Part::waits) {
    if (share != nullptr && !share->storage().empty()) {
        probe_.emplace(arena, share->storage());
        x_ = arena.make<double>(problem.size);
        y_ = arena.make<double>(problem.size);
        add_products(*share, problem.size,
                     problem.storage == Storage::symmetric ? problem.size : rows);
    }
}

void Limit::add_products(MatrixShare& share, std::int64_t size, std::int64_t rows) {
    const device::View<const double> x = x_.view();
    const device::View<double> y = y_.view();
    probe_->add_way("the product", [&share, x, y = y.part(0, rows)](device::Stream& stream) {
        share.multiply(x, y, stream);
    });
    // The same memory as a row-major matrix; less than a row at its end is left out.
    const std::int64_t whole = std::min(share.storage().size() / size, size);
    probe_->add_way("gemv", [this, whole, size, x, y = y.part(0, whole),
                             elements = share.storage().part(0, whole * size)](auto& stream) {
        session_.device().blas().gemv(whole, size, elements, x, y, stream);
    });
}

std::vector<bench::LimitComponent> Limit::measure() {
    if (passes_ == 0) {
        session_.world().barrier();  // before the ranks measure: they share the machine's memory
        passes_ = 1;
        if (probe_) {
            const Seconds pass = probe_->measure(1, session_.stream());
            passes_ = bench::passes_in(bench::probe_time_beside(iterations_ * pass), pass);
        }
        way_ = bench::summarise_over_ranks(probe_ ? probe_->way() : "", session_.world());
    }
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
