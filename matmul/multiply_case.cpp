#include "matmul/multiply_case.hpp"

#include <fmt/format.h>

#include <utility>

#include "comm/mpi/agree.hpp"

namespace quartet::matmul {

MultiplyCase::MultiplyCase(const CaseContext& context, const ProductPlan& plan)
    : session_(context.session),
      data_(context.options.data),
      problem_(context.problem),
      block_(plan.block),
      limit_plan_(plan.limit),
      math_(context.options.math),
      guard_(session_.threads()),
      arena_(session_.device()) {
    const bool checks = session_.options().verify == bench::Switch::on;
    if (checks) {
        find_arithmetic(plan);
    }
    ProductFiles files = open_files(context);
    keep_tiles(open_checkpoint(context, plan));
    files.checkpoint = checkpoint();
    product_ = plan.make(files);
    if (checks) {
        guard_.remember(product_->input_memory());
        make_check();
    }
}

// Before the product takes its memory. On a GPU the pool keeps the probe's matrices, 0.75 MiB at
// most. Ranks that only add do not multiply.
void MultiplyCase::find_arithmetic(const ProductPlan& plan) {
    std::string found;
    comm::agree(session_.world(), [&] {
        if (plan.limit.sgemm.edge > 0) {
            found = arithmetic_of(
                session_.device(), problem_.extent(0),
                plan.multiply ? plan.multiply : multiply_on(session_.device(), session_.stream()));
        }
    });
    // The first that is not what was asked for, else what was.
    for (const std::string& of_rank : session_.world().gather(found)) {
        if (!of_rank.empty() && (precision_.empty() || precision_ == arithmetic_wanted(math_))) {
            precision_ = of_rank;
        }
    }
}

// Agreed, since ranks read files.
void MultiplyCase::make_check() {
    comm::agree(session_.world(), [&] {
        const RecordedSums recorded =
            data_.in_files() ? RecordedSums(*data_.folder) : RecordedSums();
        check_.emplace(
            arena_, problem_, block_, session_.threads(), *product_, recorded,
            Freivalds::Arithmetic{math_, data_.is_own() ? Numbers::own : Numbers::uniform});
    });
}

void MultiplyCase::prepare() {
    product_->prepare();
    session_.world().barrier();  // all ranks have dropped their files before any reads one
}

void MultiplyCase::compute(bench::Clocks&) {
    product_->run(session_.stream());
}

bench::Check MultiplyCase::verify() {
    product_->collect();
    const double deviation = session_.world().maximum(check_->deviation(*product_));
    if (data_.keep == bench::Switch::on) {
        record_results(*data_.folder, block_, *product_, session_.world(), session_.topology());
    }
    // In units of each row's own bound.
    bench::Check check{
        .passed = deviation <= 1, .error = deviation, .tolerance = 1, .precision = precision_};
    if (precision_ != arithmetic_wanted(math_)) {
        check.passed = false;
        check.why =
            fmt::format("products are {} where {} was asked for", precision_, device::name(math_));
    }
    return guard_.judge(std::move(check), session_.world());
}

}  // namespace quartet::matmul
