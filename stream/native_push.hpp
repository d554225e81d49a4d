#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/limits.hpp"
#include "bench/program/case.hpp"
#include "bench/program/session.hpp"
#include "comm/transport/transport.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// What would run, with its memory and its name, before anything is allocated.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem);

/// Adds a case for each variant of the session and each problem of the options. Throws UsageError.
void plan_cases(bench::Session& session, const Options& options);

/// One problem over one transport. `native` pushes as the transport does best, `library` by plain
/// MPI (LibraryPush). The limit is the receiver's own addition of local vectors of the same size;
/// from senders on other nodes, also what the link can carry.
class NativePush final : public bench::Case {
  public:
    /// Collective. Throws Unavailable.
    NativePush(bench::Session& session, const bench::Variant& variant, const Problem& problem);

    void prepare() override;
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override;
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override;
    [[nodiscard]] std::string note() const override { return transport_.description(); }
    [[nodiscard]] bench::Details details() const override;

  private:
    void make_vectors();
    void prepare_pushes(bench::Formulation formulation);
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
    std::optional<bench::MemoryProbe> local_add_;      ///< on receivers
    int local_passes_ = 0;
    std::vector<std::unique_ptr<bench::PairProbe>> links_;  ///< one per route between nodes
};

}  // namespace quartet::stream
