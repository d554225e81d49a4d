#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/session/arena.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "stream/limit.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// One problem in one formulation over one transport.
class PushCase final : public bench::Case {
  public:
    /// The vectors of a rank.
    struct Buffers {
        /// Collective where the arena allocates.
        Buffers(bench::Arena& arena, const Problem& problem, int rank);

        device::Buffer<float> source;
        device::Buffer<float> target;
        std::vector<float> expected;  ///< the sums that the target should hold
    };

    /// Collective. Throws Unavailable.
    PushCase(bench::Session& session, const bench::Variant& variant, Problem problem);

    void prepare() override;
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override;
    void prepare_limit() override { limit_.emplace(session_, problem_); }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override { return transport_.description(); }
    [[nodiscard]] bench::Details details() const override;

  private:
    void fill();

    bench::Session& session_;
    Problem problem_;
    int rank_;
    comm::Transport& transport_;
    bench::Arena arena_;
    Buffers buffers_;
    std::unique_ptr<comm::Push> push_;
    std::optional<PushLimit> limit_;
};

/// A case with its memory and its name, before anything is allocated. Local.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem);

/// Adds a case for each variant of the session and each problem of the options. Collective. Throws
/// UsageError.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::stream
