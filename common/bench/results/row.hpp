#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/results/flag.hpp"
#include "bench/results/formulation.hpp"
#include "bench/results/limit.hpp"
#include "bench/results/samples.hpp"
#include "bench/results/stages.hpp"
#include "comm/topology/roles.hpp"
#include "core/check.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::bench {

/// One way to run a kernel.
struct Variant {
    Formulation formulation = Formulation::native;
    std::string device;
    std::string transport;
};

/// The suffix of a row that the paper's own clock times.
inline constexpr const char* paper_suffix = "paper";

/// A factor whose name has no key of its own: {"problem", "laplace"} reads "laplace".
struct Word {
    std::string key;  ///< in the document's factors
    std::string text;
    bool operator==(const Word&) const = default;
};

/// A row's name: every factor that changes the work, in a fixed order, never host, date or version.
/// "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1".
struct RowName {
    std::string kernel;
    Variant variant;
    std::vector<Word> words;
    std::string_view size_key = "size";  ///< a literal; "n" where the size is a number of elements
    std::string size;                    ///< the factor that tables show: "2MiB", "8192"
    std::vector<std::pair<std::string, std::string>> factors;  ///< the others, before ranks
    int ranks = 1;
    int threads = 1;
    int nodes = 1;       ///< not in the text: where ranks are is no part of the work
    std::string suffix;  ///< "paper", "pair:1-0", "error", or empty

    [[nodiscard]] bool is_of_paper_clock() const { return suffix == paper_suffix; }
    [[nodiscard]] std::string text() const;
    [[nodiscard]] RowName with_suffix(std::string text) const;
};

/// The unit of a kernel's rate.
enum class RateUnit { gflops, mebibytes };
/// "GFLOP/s" or "MiB/s".
std::string_view name(RateUnit unit);

/// The work of one run, as the kernel counts it.
struct Work {
    RateUnit unit = RateUnit::mebibytes;
    Flops flops;
    Bytes bytes;
    int workers = 1;  ///< computing devices
    int gpus = 0;     ///< of all ranks; 0 on the host
    std::vector<std::pair<std::string, double>> counters;

    /// The rate in `unit`.
    [[nodiscard]] double rate(Seconds time) const;
};

/// How a result compares with what it should be.
struct Check {
    bool passed = false;
    double error = 0;
    double tolerance = 0;
    bool input_changed = false;  ///< in memory, since it was made: then nothing passes
    std::string precision{};     ///< of the arithmetic, as a probe found it: "fp32"; empty: unknown
    std::string why{};           ///< it fails, beside its error; empty: for nothing else
};

/// What else the machine did during a measurement. Shares are of the time of the cores that the job
/// keeps busy, on the node or the rank with the largest share; empty if the system does not tell.
struct RunConditions {
    std::optional<double> stolen_share;   ///< that the hypervisor withheld (system::steal_time)
    std::optional<double> others_share;   ///< that other processes ran, on any core of a node
    std::optional<double> waiting_share;  ///< in which a rank's threads waited for a core
    /// Shares of the time in which a GPU's clocks were held down, of the GPU with the largest.
    std::optional<double> power_capped_share;      ///< at its power limit
    std::optional<double> thermally_slowed_share;  ///< since it was too hot
    std::optional<double> power_braked_share;      ///< since the power supply asked for it
    std::optional<double> energy_joules;           ///< of all GPUs of the job
    Seconds window;                                ///< for how long it was observed
    int rank_cores = 1;                            ///< that one rank keeps busy
    int node_cores = 1;                            ///< that a node's ranks keep busy
    /// Whether a node has more threads than cores, those of a transport's library included.
    bool oversubscribed = false;
    std::int64_t major_page_faults = 0;  ///< of the rank with most
    std::int64_t minor_page_faults = 0;
    std::optional<double> megahertz;  ///< of the slowest rank's first core, afterwards
    /// The slowest rank's system::probe_clock, on all ranks at once, right afterwards; nothing with
    /// --limits off.
    std::optional<double> clock_probe_seconds;
};

/// Ranks whose seconds a document lists one by one, at most.
inline constexpr int most_ranks_listed = 256;

/// A summary of the ranks' seconds, if there are too many ranks to list.
struct RankSummary {
    struct Slow {
        int rank = 0;
        std::string host;
        double seconds = 0;
    };

    int ranks = 0;
    double mean = 0;
    double minimum = 0;
    double p25 = 0;
    double p50 = 0;
    double p75 = 0;
    double p99 = 0;
    double maximum = 0;
    std::vector<Slow> slowest;  ///< 16 at most, the slowest first

    /// Adds the same time to every rank.
    void add(double seconds);
};

/// Summarises seconds by rank. A quantile is the smallest value that this share of all does not
/// exceed. Throws Failure without ranks.
RankSummary summary_of_ranks(std::span<const double> seconds,
                             const std::function<std::string(int)>& host_of);

/// The slowest rank of a role in one run.
struct RolePhases {
    comm::Role role = comm::Role::worker;
    int rank = 0;
    double seconds = 0;
    PhaseSeconds phases{};
};

/// One measured run.
struct Run {
    Seconds real;                             ///< the slowest rank's
    Seconds cpu;                              ///< of the slowest rank's process
    std::vector<double> rank_seconds;         ///< by rank, or
    std::optional<RankSummary> rank_summary;  ///< where there are more than most_ranks_listed
    PhaseSeconds phases{};                    ///< of the slowest rank
    std::vector<RolePhases> roles;            ///< reducers first; empty unless ranks have several
    std::vector<Seconds> clocks;              ///< the kernel's own, each the slowest rank's
    int round = 0;                            ///< of the job, from 0
    RunConditions conditions{};
    RunConditions probe_conditions{};     ///< while the limit was probed right before
    std::optional<double> limit_seconds;  ///< by that probe: its slowest component
    std::vector<Cause> disturbed_by{};    ///< by either conditions
};

/// Times of the runs, in seconds.
std::vector<double> times(const std::vector<Run>& runs);

/// Seconds of the single steps of a run.
struct Steps {
    std::string of;  ///< "iteration"
    Quantiles seconds;
};

/// Figures of a kernel's own, for the document: "residual_history", "bytes_read", "huge_pages".
struct Details {
    std::vector<std::pair<std::string, double>> numbers;
    std::vector<std::pair<std::string, std::vector<double>>> series;
    std::vector<std::pair<std::string, bool>> flags{};
    std::optional<Steps> steps{};
};

/// One row, from which table and document are made.
struct Row {
    RowName name;
    Work work;
    std::vector<Run> runs;
    std::optional<Limit> limit;
    std::optional<Check> check;  ///< nothing with --verify off
    std::string note;            ///< for people: how the case ran
    Details details;             ///< of the last run
    Seconds set_up;              ///< making the data and the transport's memory
    Seconds write_results;       ///< what is kept in files, and the end of the case
    WholeTask whole_task;        ///< the median run's; empty if it is none
    Seconds overhead;            ///< of the timer and the barrier, in each run
    std::vector<Flag> flags;     ///< why to distrust it
    std::vector<Run> replaced;   ///< runs that were measured again, in the order measured
    int measured_again = 0;      ///< how often it was measured anew after a flag
    std::string alone_because;   ///< why its runs are not interleaved with others; else empty
    /// What each node's interfaces sent in the measured runs, those that were repeated included: a
    /// JSON object, as RoadWatch makes it; none if nobody looked.
    std::vector<std::string> road;
    std::string error;  ///< why the case could not run; only name and work go with it
    ExitCode error_code = ExitCode::unavailable;  ///< of the error: unavailable, failed or stopped

    [[nodiscard]] std::vector<double> times() const { return bench::times(runs); }
    [[nodiscard]] std::optional<double> fraction_of_limit() const;
    /// The fraction of what all ranks would allow, if only some of them take part in the limit.
    [[nodiscard]] std::optional<double> fraction_of_all_ranks() const;
    /// The figures beside the limit, in words; empty if there are none.
    [[nodiscard]] std::string beside_limit() const;
    /// 95% of the median of the runs' own fractions, each of the probe right before it, widened
    /// where fraction_of_limit() lies outside; nothing below six runs.
    [[nodiscard]] std::optional<Interval> fraction_interval() const;
    /// Whether limit and rate disagree by more than chance: the fraction is above 1.05, and all of
    /// its interval above 1.
    [[nodiscard]] bool is_above_limit() const;
    /// The share of the median run that timer and barrier take.
    [[nodiscard]] double overhead_share() const;
    /// Whether a flag says that the rate is not the machine's.
    [[nodiscard]] bool distrusted() const;
    /// "?" if it is distrusted, else "!" if it is above its limit, else nothing.
    [[nodiscard]] std::string_view mark() const;
};

}  // namespace quartet::bench
