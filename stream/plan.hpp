#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/session/arena.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// The pushes of two formulations; `native` is the transport's own. Borrow session and transport.
/// Collective.
std::unique_ptr<comm::Push> make_dataflow_push(bench::Session& session, comm::Transport& transport,
                                               const comm::PushPlan& plan, Bytes size);
std::unique_ptr<comm::Push> make_library_push(bench::Session& session, comm::Transport& transport,
                                              const comm::PushPlan& plan);
/// Count what they allocate on this rank beside the vectors. Local.
void count_dataflow_push(bench::Arena& arena, bench::Session& session, const std::string& transport,
                         const Problem& problem);
void count_library_push(bench::Arena& arena, bench::Session& session, const Problem& problem);

/// The receiver's own addition of local vectors, as large and as many as are pushed; with senders
/// on other nodes, also what the link between the nodes can carry.
class PushLimit {
  public:
    /// Counts what the probes allocate on this rank. Local.
    static void count(bench::Arena& arena, const Problem& problem, bench::Session& session);

    /// Borrows session and problem. Collective.
    PushLimit(bench::Session& session, const Problem& problem);

    /// Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    bench::Session& session_;
    const Problem& problem_;
    std::optional<bench::MemoryProbe> local_add_;  ///< on the receiver
    int passes_ = 0;
    std::string way_;                       ///< of local_add_
    std::optional<bench::PairProbe> link_;  ///< between nodes
};

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

  private:
    void fill();
    void make_push(bench::Formulation formulation);

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
