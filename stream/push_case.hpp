#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/session/buffer_plan.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "stream/limit.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// One problem in one formulation over one transport.
class PushCase final : public bench::Case {
  public:
    struct Buffers {
        /// Of this rank, with what the pushes and the limit allocate. Local.
        Buffers(bench::BufferPlan& plan, bench::Session& session, const bench::Variant& variant,
                const Problem& problem);

        bench::PlannedBuffer<float> source;
        bench::PlannedBuffer<float> target;
        std::int64_t expected = 0;  ///< elements of the expected sums
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
    void make_vectors(const bench::Variant& variant);
    [[nodiscard]] bool sends() const { return route_ != nullptr && route_->receiver != rank_; }
    [[nodiscard]] bool receives() const { return route_ != nullptr && route_->receiver == rank_; }

    bench::Session& session_;
    Problem problem_;
    int rank_;
    const Route* route_;  ///< this rank's, into problem_
    comm::Transport& transport_;
    device::Buffer<float> source_;
    device::Buffer<float> target_;
    std::vector<float> expected_;
    std::vector<std::unique_ptr<comm::Push>> pushes_;  ///< by route
    std::optional<PushLimit> limit_;
};

}  // namespace quartet::stream
