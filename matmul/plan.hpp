#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/data/input_guard.hpp"
#include "bench/session/case.hpp"
#include "matmul/context.hpp"

namespace quartet::matmul {

/// C = A B over the ranks, in any way: what is timed, checked and compared with the limit. The
/// Product decides how.
class MultiplyCase final : public bench::Case {
  public:
    /// Collective. Throws Unavailable if it cannot be had here.
    MultiplyCase(const CaseContext& context, const ProductPlan& plan);

    void prepare() override;
    void run(bench::Clocks& /*clocks*/) override { product_->run(session_.stream()); }
    bench::Check verify() override;
    void prepare_limit() override { limit_.emplace(session_, problem_, limit_plan_); }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override { return product_->note(); }
    [[nodiscard]] bench::Details details() const override {
        return product_->details(session_.world());
    }

    /// For tests, which put wrong results there.
    [[nodiscard]] Product& product() { return *product_; }

  private:
    void find_arithmetic(const ProductPlan& plan);
    void make_check();

    bench::Session& session_;
    bench::DataOptions data_;
    Problem problem_;
    Block block_;
    LimitPlan limit_plan_;
    device::Math math_;
    std::string precision_;  ///< that the products have: arithmetic_of()
    std::unique_ptr<Product> product_;
    bench::InputGuard guard_;
    bench::Arena arena_;  ///< of the check
    std::optional<Freivalds> check_;
    std::optional<ProductLimit> limit_;
};

/// Adds a case for each variant of the session. Throws UsageError, on all ranks alike. Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::matmul
