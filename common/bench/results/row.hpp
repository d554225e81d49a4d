#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"

namespace quartet::bench {

/// How a kernel is written: as fast as MPI and the device allow today, as the paper's data flow, or
/// with the standard distributed library (for stream and cg: plain MPI).
enum class Formulation { native, dataflow, library };

/// In the order in which they are listed.
inline constexpr std::array all_formulations{Formulation::native, Formulation::dataflow,
                                             Formulation::library};

/// The word of the command line and of row names: "native".
std::string_view name(Formulation formulation);

/// The words of all formulations.
std::vector<std::string> formulation_names();

/// The reverse of name(). Throws UsageError for any other word.
Formulation parse_formulation(std::string_view word);

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

/// An interval between two values of a sample: [lower, upper].
struct Interval {
    double lower = 0;
    double upper = 0;
};

/// Statistics of a sample, without assuming a distribution.
struct Summary {
    double median = 0;
    double mean = 0;
    double stddev = 0;  ///< of the sample, n - 1; 0 for one value
    double minimum = 0;
    double maximum = 0;
    double middle_half = 0;            ///< the width of the interval that half of the values lie in
    std::optional<Interval> interval;  ///< 95% confidence, of the median; needs six values

    /// Throws Failure for an empty sample.
    static Summary of(std::span<const double> values);

    /// The middle half, as a share of the median.
    [[nodiscard]] double spread() const { return median > 0 ? middle_half / median : 0; }
    [[nodiscard]] double variation() const { return mean > 0 ? stddev / mean : 0; }
    /// Whether the interval is known and at most this wide, as a share of the median.
    [[nodiscard]] bool within(double width) const {
        return interval && interval->upper - interval->lower <= width * median;
    }
};

/// One-based ranks (k, n + 1 - k) of the order statistics that enclose the median with at least 95%
/// confidence: the largest k with P(Binomial(n, 1/2) < k) <= 2.5% (Hoefler and Belli, SC'15, rule
/// 6); nothing below six values, where even the extremes do not reach it.
std::optional<std::pair<int, int>> median_interval_ranks(int values);

/// The unit of a kernel's rate.
enum class RateUnit { gflops, mebibytes };
/// "GFLOP/s" or "MiB/s".
std::string_view name(RateUnit unit);

/// The work of one run, as the kernel counts it.
struct Work {
    RateUnit unit = RateUnit::mebibytes;
    Flops flops;
    Bytes bytes;
    int workers = 1;   ///< computing devices
    int gpus = 0;      ///< of all ranks; 0 on the host
    int messages = 0;  ///< if they are so small that the time of one is shown in place of a rate
    std::vector<std::pair<std::string, double>> counters;

    /// The rate in `unit`.
    [[nodiscard]] double rate(Seconds time) const;
};

/// How a result compares with what it should be.
struct Check {
    bool passed = false;
    double error = 0;
    double tolerance = 0;
    std::string precision{};  ///< of the arithmetic, as a probe found it: "fp32"; empty: unknown
    std::string why{};        ///< why it failed, if not by its error alone
};

/// One thing that bounds a run, and the time of the run if nothing else bounds it.
struct LimitComponent {
    std::string name;  ///< "local add", "pair link"
    Seconds seconds;
    /// The time at the hardware's peak, if `seconds` is that of a library; 0 if unknown.
    Seconds hardware{};
    /// The time if all ranks of the job took part, although only `ranks` do: as if a data flow's
    /// reducers computed, or senders added their share. 0 if all ranks do, or if unknown.
    Seconds all_ranks{};
    int ranks = 0;
    /// The fastest way to pass over memory, which was measured; empty if there is only one.
    std::string way{};

    /// Sets all_ranks after a measurement on `some` of `all` ranks: each would have the same rate.
    void extend(int some, int all);
};

/// The component that takes longest; of equal ones the first. There is at least one.
const LimitComponent& slowest(std::span<const LimitComponent> components);

/// The time that the machine allows for one run: that of its slowest component.
struct Limit {
    std::vector<LimitComponent> components;           ///< each with the probes' median times
    Seconds seconds;                                  ///< median of the probes' slowest components
    std::vector<std::vector<LimitComponent>> probes;  ///< as measured
    double spread = 0;  ///< of the times of the probes' slowest components

    /// Throws Failure unless each probe has the same components, at least one.
    void add(std::vector<LimitComponent> probe);
    /// "local add", "slower of local add and pair link", "slowest of SGEMM, reducers and storage".
    [[nodiscard]] std::string what() const;
    /// The first component in which only some of the ranks take part; null if all do.
    [[nodiscard]] const LimitComponent* on_some_ranks() const;
};

/// What else the machine did during a run. Shares are of the time of the cores that the job keeps
/// busy, on the node or the rank with the largest share; empty if the system does not tell.
struct RunConditions {
    std::optional<double> stolen_share;  ///< that the hypervisor withheld (system::steal_time)
    std::optional<double> others_share;  ///< that other processes ran, on any core of a node
    /// Shares of the time in which a GPU's clocks were held down, of the GPU with the largest.
    std::optional<double> power_capped_share;      ///< at its power limit
    std::optional<double> thermally_slowed_share;  ///< since it was too hot
    std::optional<double> power_braked_share;      ///< since the power supply asked for it
    std::optional<double> energy_joules;           ///< of all GPUs of the job
    Seconds window;                                ///< how long the machine was observed
    int rank_cores = 1;                            ///< that one rank keeps busy
    int node_cores = 1;                            ///< that a node's ranks keep busy
    /// The slowest rank's time of system::probe_clock(), which all ranks call right after the run;
    /// nothing with --limits off, or where only GPUs compute.
    std::optional<double> clock_probe_seconds;
};

/// Ranks whose seconds a document lists, at most: what a run keeps must not grow with the ranks.
inline constexpr int most_ranks_listed = 256;

/// One measured run.
struct Run {
    Seconds real;                      ///< the slowest rank's
    Seconds cpu;                       ///< of the slowest rank's process
    std::vector<double> rank_seconds;  ///< by rank; empty for more than most_ranks_listed
    PhaseSeconds phases{};             ///< of the slowest rank
    Seconds paper;                     ///< by the paper's own clock, the slowest rank's
    int round = 0;                     ///< of the job, from 0
    RunConditions conditions{};
    std::optional<double> limit_seconds;  ///< by the probe right before: its slowest component
};

/// Figures of a kernel's own, for the document: "residual_history", "bytes_read", "huge_pages".
struct Details {
    std::vector<std::pair<std::string, double>> numbers;
    std::vector<std::pair<std::string, std::vector<double>>> series;
    std::vector<std::pair<std::string, bool>> flags{};
};

/// Why a row's figures may not be the machine's.
enum class FlagKind {
    disturbed,     ///< steal or other processes disturbed a quarter of its runs, or the job
    unsteady,      ///< its runs or its limit's probes differ
    slow_library,  ///< a library that decides the limit is far below what the hardware allows
    above_limit,   ///< its rate is above 105% of its limit
    held_back,     ///< a GPU's clocks were held down: by power limit, temperature or power supply
};
inline constexpr std::array all_flag_kinds{FlagKind::disturbed, FlagKind::unsteady,
                                           FlagKind::slow_library, FlagKind::above_limit,
                                           FlagKind::held_back};

/// The word in documents: "disturbed", "unsteady", ...
std::string_view name(FlagKind kind);

/// Whether such a row is marked `?` and not to be quoted. A row above its limit has a mark of its
/// own; what holds a GPU back belongs to the machine.
constexpr bool distrusts(FlagKind kind) {
    return kind != FlagKind::above_limit && kind != FlagKind::held_back;
}

/// A reason, with its figures in plain words.
struct Flag {
    FlagKind kind = FlagKind::disturbed;
    std::string text;
};

/// One row, from which table and document are made.
struct Row {
    RowName name;
    Work work;
    std::vector<Run> runs;  ///< by add()
    Summary time;           ///< of the runs' seconds
    std::optional<Limit> limit;
    std::optional<Check> check;  ///< nothing with --verify off
    std::string note;            ///< for people: how the case ran
    Details details;             ///< of the last run
    Seconds set_up;              ///< making the data and the transport's memory
    Seconds write_results;       ///< what is kept in files, and the end of the case
    std::vector<Flag> flags;     ///< why to distrust it
    /// What each node's network interfaces sent in the measured runs: the JSON objects of
    /// NetworkPath::nodes(); empty if they were not observed.
    std::vector<std::string> network;
    std::string error;  ///< why the case could not run; only name and work go with it
    ExitCode error_code = ExitCode::unavailable;  ///< of the error: unavailable, failed or stopped

    void add(Run run);
    /// One wrong run makes the row wrong; the worst error stands for all runs.
    void add(const Check& of_a_run);

    [[nodiscard]] std::optional<double> fraction_of_limit() const;
    /// The fraction of what all ranks would allow, if only some of them take part in the limit.
    [[nodiscard]] std::optional<double> fraction_of_all_ranks() const;
    /// The figures beside the limit, in words; empty if there are none.
    [[nodiscard]] std::string beside_limit() const;
    /// The 95% interval of the median of the runs' fractions, each of the limit probed right before
    /// the run, widened to include fraction_of_limit(); nothing for fewer than six runs.
    [[nodiscard]] std::optional<Interval> fraction_interval() const;
    /// Whether a flag says that the rate is not the machine's.
    [[nodiscard]] bool distrusted() const;
    /// "?" if it is distrusted, else "!" if it is above its limit, else nothing.
    [[nodiscard]] std::string_view mark() const;
};

}  // namespace quartet::bench
