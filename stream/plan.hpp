#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::stream {

/// The flags that only stream has.
struct Options {
    std::vector<Bytes> sizes;   ///< of a vector; default: 2 to 128 MiB (VI.A), with --pairs 16 MiB
    std::optional<int> pushes;  ///< in a run; default: 100 (VI.A), with --pairs 10
    bench::Switch pairs = bench::Switch::off;
};

/// Reads "2:128" (doubling) or "2,8,512KiB,64k"; a number without a unit counts MiB. Sizes are
/// whole floats, at least one. Throws UsageError.
std::vector<Bytes> parse_sizes(std::string_view text);

/// One case of the paper's STREAM (IV, VI.A): each sender pushes a float vector of `size`, `pushes`
/// times, and the receiver adds each to its own.
struct Problem {
    Bytes size;
    int pushes = 0;
    std::vector<int> senders;  ///< ascending
    int receiver = 0;
    bench::Switch is_pair = bench::Switch::off;  ///< on: a problem of --pairs, with one sender

    [[nodiscard]] std::int64_t elements() const { return size.value / 4; }
    /// Vectors that the receiver adds in a run.
    [[nodiscard]] std::int64_t additions() const { return pushes * std::ssize(senders); }
    [[nodiscard]] bool sends(int rank) const { return std::ranges::count(senders, rank) > 0; }
    [[nodiscard]] bool receives(int rank) const { return rank == receiver; }
    /// The counted work: size x pushes bytes of each sender.
    [[nodiscard]] bench::Work work() const;
};

/// The problems of options that have sizes and pushes: for each size, all ranks push to rank 0,
/// or with --pairs one rank to one other, for each ordered pair of ranks. Throws UsageError if the
/// sums would not be exact, or with --pairs for more than 16 ranks.
std::vector<Problem> problems(const Options& options, int ranks);

/// Element values of a sender's vector: whole numbers from 1 to 8 that depend on seed, sender and
/// index, so that sums are exact in float32 and a misplaced element shows. `source` is the part of
/// the vector that begins at element `first`.
void fill_source(std::span<float> source, std::uint64_t seed, int sender, std::int64_t first = 0);

/// Fills in the vector that the receiver must hold after a run that began with zeros.
void fill_expected(std::span<float> expected, std::uint64_t seed, const Problem& problem);

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
    std::vector<int> remote_senders_;              ///< on other nodes than the receiver
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
void plan_cases(bench::Session& session, Options options);

}  // namespace quartet::stream
