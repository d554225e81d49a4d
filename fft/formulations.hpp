#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "comm/topology/roles.hpp"
#include "fft/four_step.hpp"
#include "fft/tiles.hpp"
#include "fft/verify.hpp"

namespace quartet::fft {

/// Adds a case for each variant and size of the session. Throws UsageError. Collective.
void plan_cases(bench::Session& session, const Options& options);

/// A case with its name, before anything is allocated. Local.
bench::PlannedCase planned_case(bench::Session& session, const bench::Variant& variant,
                                const Problem& problem, const Options& options);

/// What the formulations share: the check of the result, and writing it. Tests can read it.
class TransformCase : public bench::Case {
  public:
    /// This rank's part of the last run's result, in the order of the case.
    [[nodiscard]] virtual device::View<Point> result() = 0;
    bench::Check verify() final {
        return guard_.judge(check_.verify(pieces_of(result())), session_.world());
    }
    void finish() final {
        if (data_.keep == bench::Switch::on) {
            keep_result(session_, data_, problem_, pieces_of(result()), layout_of_result());
        }
    }

  protected:
    /// Makes and checks files. Collective; local while the arena plans. Throws Failure.
    TransformCase(device::Arena& arena, bench::Session& session, const Problem& problem,
                  const bench::DataOptions& data);

    /// Unless nothing is verified: works out what to expect, from this rank's `input`, and guards
    /// input that runs do not change. Collective.
    enum class KeepsInput { no, yes };
    void expect(const IndexOrder& input_order, const IndexOrder& output_order,
                device::View<const Point> input, KeepsInput kept);
    /// How --keep describes the result. Collective.
    [[nodiscard]] virtual ResultLayout layout_of_result() {
        return result_layout(problem_, result().size());
    }

    bench::Session& session_;
    const Problem problem_;
    const bench::DataOptions data_;

  private:
    /// Lets the CPU read an array that may be in a GPU's memory.
    [[nodiscard]] ReadPieces pieces_of(device::View<const Point> array) const;

    bench::InputGuard guard_;
    TransformCheck check_;
};

/// The time that the machine allows for one transform: the slowest of
///
///     copy        64 N bytes / sum of the ranks' copy rates
///     arithmetic  5 N log2 N operations / sum of the ranks' rates of multiply-adds
///     exchange    k 16 N (P - 1) / P^2 bytes / all-to-all bandwidth of a rank
///
/// with k = 1 exchange for the transposed order and 2 for the natural one. The fewest multiply-adds
/// known are 8/3 N log2 N (Linzer and Feig, IEEE Trans. Signal Processing 41, 1993), two operations
/// each: a little more than the 5 N log2 N that are counted.
class TransformLimit {
  public:
    /// Copies from `source` to `target`, the case's own memory, whose values are lost. Exchanges
    /// over `transport`. Collective; local while the arena plans.
    TransformLimit(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                   const Problem& problem, device::View<const Point> source,
                   device::View<Point> target);

    /// Copying the memory, the arithmetic and, with several ranks, the exchange. Collective.
    [[nodiscard]] std::vector<bench::LimitComponent> measure();

  private:
    bench::Session& session_;
    Problem problem_;
    bench::MemoryProbe copy_;
    int passes_ = 0;   ///< of copy_; 0 before the first measurement
    std::string way_;  ///< of copy_, summarised over the ranks
    bench::ArithmeticLimit arithmetic_;
    std::optional<bench::AllToAllProbe> exchange_;  ///< with several ranks
};

/// How the native formulation transforms, and on a GPU the library.
enum class Algorithm {
    single_rank,           ///< one rank's SingleRankFft, the result beside the input
    single_rank_in_place,  ///< SingleRankFft over the input, if a GPU has no memory for both
    transposed,            ///< column FFTs, exchange, row FFTs
    natural,               ///< as transposed, then a second exchange and a Transpose
    library,               ///< the transform of the GPU's vendor, the result beside the input
};

/// How the native formulation transforms a problem on one rank.
struct NativePlan {
    std::string transport;
    Problem problem;
    bench::DataOptions data;
    FourStepFft shape;
    std::shared_ptr<FftFactory> ffts;
    Algorithm algorithm = Algorithm::transposed;

    [[nodiscard]] bool in_place() const { return algorithm == Algorithm::single_rank_in_place; }
};

/// The plan of a problem on this rank. Local.
NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data);

/// The case of a plan on this rank. Collective; local while the arena plans. Throws Unavailable;
/// Failure if files differ from what the manifest says.
std::unique_ptr<TransformCase> make_native_case(device::Arena& arena, bench::Session& session,
                                                const NativePlan& plan);

/// The work of one rank in the data flow: rank 0 merges, the others transform tiles.
struct DataflowPlan {
    std::string transport;
    Problem problem;
    bench::DataOptions data;
    comm::Roles roles;
    comm::Role role = comm::Role::worker;
    std::shared_ptr<FftFactory> ffts;  ///< of the device that this rank works on
    Range tiles{};                     ///< a worker's
    FourStepFft tile{};                ///< one tile as a transform of its own
};

/// The plan of the data flow on this rank, and its case: as plan_native() and make_native_case().
DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const bench::DataOptions& data = {});
std::unique_ptr<TransformCase> make_dataflow_case(device::Arena& arena, bench::Session& session,
                                                  const DataflowPlan& plan);

/// The library formulation on hosts: FFTW's distributed one-dimensional transform. FFTW chooses the
/// blocks of its input, which is in natural order. Its output is in natural order (`natural`) or in
/// the order that its algorithm ends with (`transposed`, FFTW_MPI_SCRAMBLED_OUT), which is found by
/// transforming an impulse. Collective; local while the arena plans. Throws Unavailable where
/// FFTW-MPI is not in this build or has no plan; its set_up() Failure if the impulse's bins are in
/// none of its orders.
std::unique_ptr<TransformCase> make_library_case(device::Arena& arena, bench::Session& session,
                                                 const Problem& problem, const Options& options);

}  // namespace quartet::fft
