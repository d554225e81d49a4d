#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/program/formulation.hpp"
#include "bench/report/limit.hpp"
#include "bench/report/published.hpp"
#include "core/check.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"

namespace quartet::bench {

/// One way to run a kernel.
struct Variant {
    Formulation formulation = Formulation::native;
    std::string device;
    std::string transport;
};

/// The suffix of a row that the paper's own clock times.
inline constexpr const char* paper_suffix = "paper";

/// What a row is called: every factor that changes the work, in a fixed order, never host, date or
/// version. "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1".
struct RowName {
    std::string kernel;
    Variant variant;
    std::vector<std::string> words;      ///< factors that need no key: "laplace"
    std::string_view size_key = "size";  ///< a literal; "n" where the size is a number of elements
    std::string size;                    ///< the factor that tables show: "2MiB", "8192"
    std::vector<std::pair<std::string, std::string>> factors;  ///< the others, before ranks
    int ranks = 1;
    int threads = 1;
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

    /// In `unit`.
    [[nodiscard]] double rate(Seconds time) const;
};

/// How a result compares with what it should be.
struct Check {
    bool passed = false;
    double error = 0;
    double tolerance = 0;
};

/// One measured run.
struct Run {
    Seconds real;  ///< the slowest rank's
    Seconds cpu;   ///< of the slowest rank's process
    std::vector<double> rank_seconds;
    PhaseSeconds phases{};        ///< of the slowest rank
    std::vector<Seconds> clocks;  ///< the kernel's own, each the slowest rank's
    /// The share of the busy cores' time that the hypervisor withheld, of the rank that lost most;
    /// nothing where the hypervisor does not tell (system::steal_time).
    std::optional<double> steal_share{};
    /// The slowest rank's system::probe_clock, on all ranks at once, right after the run; nothing
    /// with --limits off.
    std::optional<double> clock_probe_seconds{};
};

/// Times of the runs, in seconds.
std::vector<double> times(const std::vector<Run>& runs);

/// Figures of a kernel's own, for the document: "residual_history", "bytes_read", "huge_pages".
struct Details {
    std::vector<std::pair<std::string, double>> numbers;
    std::vector<std::pair<std::string, std::vector<double>>> series;
    std::vector<std::pair<std::string, bool>> flags{};
};

/// One row, from which table and document are made.
struct Row {
    RowName name;
    Work work;
    std::vector<Run> runs;
    std::optional<Limit> limit;
    std::optional<Check> check;  ///< nothing with --verify off
    std::optional<Comparison> published;
    std::string note;   ///< for people: how the case ran
    Details details;    ///< of the last run
    Seconds set_up;     ///< making the data and the transport's memory
    std::string error;  ///< why the case could not run; only name and work go with it
    ExitCode error_code = ExitCode::unavailable;  ///< of the error: unavailable or stopped

    [[nodiscard]] std::vector<double> times() const { return bench::times(runs); }
    [[nodiscard]] std::optional<double> fraction_of_limit() const;
};

}  // namespace quartet::bench
