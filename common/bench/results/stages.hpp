#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.hpp"
#include "core/units.hpp"

namespace quartet::bench {

/// What a process does between its launch and its end, as a user waits for it.
enum class Stage {
    launch,          ///< from the launcher's start until the program's
    mpi_start,       ///< MPI_Init
    device_start,    ///< devices, their libraries and streams; which ranks share a node
    plan,            ///< which cases, whether they fit, locks of files
    set_up,          ///< making or reading data, memory of transports
    warm_up,         ///< runs that are not measured
    run,             ///< measured runs
    probe,           ///< limits of the machine
    verify,          ///< checks of results
    write_results,   ///< what is kept in files, and the end of a case
    write_document,  ///< that of --json
    rest,            ///< between these: what disturbs the machine, progress, agreement of ranks
};
inline constexpr std::size_t stage_count = 12;
std::string_view name(Stage stage);

/// The moment of the launch. If the scripts have set QUARTET_LAUNCHED ("HOST SECONDS", since the
/// host's start: nobody sets that clock) and this process is on that host, it is that; otherwise
/// the moment when the system started this process.
struct LaunchTime {
    Seconds before;              ///< that have passed since
    bool by_a_launcher = false;  ///< whether they include the launcher
};
LaunchTime launch_time(Environment& environment);

/// Divides the time since the launch into stages: each moment belongs to one. Local: what the
/// ranks wait for each other counts where they wait.
class StageClock {
  public:
    explicit StageClock(const LaunchTime& launch);

    /// Counts the time since the last call, or since the launch, as this stage.
    void end(Stage stage);
    [[nodiscard]] Seconds of(Stage stage) const {
        return seconds_[static_cast<std::size_t>(stage)];
    }
    /// The sum of all stages: from the launch to the last call.
    [[nodiscard]] Seconds total() const;
    [[nodiscard]] bool by_a_launcher() const { return by_a_launcher_; }

  private:
    std::array<Seconds, stage_count> seconds_{};
    Seconds last_;
    bool by_a_launcher_;
};

/// One run of a case as a whole task, from the launch to the results in files: the stages that are
/// left if nothing is measured, checked or repeated.
using WholeTask = std::vector<std::pair<Stage, Seconds>>;
Seconds total(const WholeTask& task);

}  // namespace quartet::bench
