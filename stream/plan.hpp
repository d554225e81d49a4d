#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// Make the push of the formulations dataflow and library; for native the transport has its own.
/// The push borrows session and transport. Collective; local while the arena plans.
std::unique_ptr<comm::Push> make_dataflow_push(device::Arena& arena, bench::Session& session,
                                               comm::Transport& transport,
                                               const comm::PushPlan& plan, Bytes size);
std::unique_ptr<comm::Push> make_library_push(device::Arena& arena, bench::Session& session,
                                              comm::Transport& transport,
                                              const comm::PushPlan& plan);

/// Measures the limit of a run: the receiver adds local vectors, as many and as large as a run
/// pushes. If senders are on other nodes, the link between the nodes is measured, too.
class PushLimit {
  public:
    /// Borrows session and problem. Collective; local while the arena plans.
    PushLimit(device::Arena& arena, bench::Session& session, const Problem& problem);

    /// Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    bench::Session& session_;
    const Problem& problem_;
    std::optional<bench::MemoryProbe> local_add_;  ///< on the receiver
    int passes_ = 0;                               ///< of local_add_; 0 until it is first measured
    std::string way_;                              ///< that local_add_ has chosen
    std::optional<bench::PairProbe> link_;         ///< between nodes
};

/// One problem in one formulation over one transport.
class PushCase final : public bench::Case {
  public:
    /// Collective; local while the arena plans. Throws Unavailable.
    PushCase(device::Arena& arena, bench::Session& session, const bench::Variant& variant,
             Problem problem);

    void set_up() override;
    void prepare() override;
    void run() override;
    [[nodiscard]] Seconds paper_time() const override { return pushing_; }
    bench::Check verify() override;
    void prepare_limit(device::Arena& arena) override { limit_.emplace(arena, session_, problem_); }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override { return transport_.description(); }

  private:
    bench::Session& session_;
    Problem problem_;
    int rank_;
    comm::Transport& transport_;
    device::Buffer<float> source_;  ///< on a sender
    device::Buffer<float> target_;  ///< on the receiver
    std::vector<float> expected_;   ///< the sums that the target should hold
    std::unique_ptr<comm::Push> push_;
    Seconds pushing_;  ///< how long this sender pushed in the last run
    std::optional<PushLimit> limit_;
};

/// A case with its name, before anything is allocated. Local.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem);

/// Adds a case for each variant of the session and each problem of the options. Collective. Throws
/// UsageError.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::stream
