#include "bench/measure/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "core/environment.hpp"

namespace quartet::bench {

namespace {

// A rank has a pipe to its launcher, whose own terminal scripts/launch.sh and slurm/start.sh name.
bool is_on_a_terminal() {
    return isatty(STDERR_FILENO) == 1 || Environment().get("QUARTET_TERMINAL") == "1";
}

bool shows_progress(const Session& session) {
    const Progress wanted = session.options().progress;
    return session.is_root() &&
           (wanted == Progress::on || (wanted == Progress::automatic && is_on_a_terminal()));
}

}  // namespace

ProgressLine::ProgressLine(const Session& session)
    : session_(session),
      shown_(shows_progress(session)),
      begun_(session.plan().size()),
      last_(now()) {}

void ProgressLine::begin_run(std::size_t index, int done, int total) {
    constexpr Seconds patience{5};
    const bool is_first = !begun_[index];
    begun_[index] = true;
    if (!shown_ || (!is_first && now() - last_ <= patience)) {
        return;
    }
    const std::string which =
        fmt::format("[{}/{}] {}", index + 1, begun_.size(), session_.plan()[index].name.text());
    const std::string run = is_first    ? ""
                            : total > 0 ? fmt::format(": run {} of {}", done + 1, total)
                                        : fmt::format(": run {}", done + 1);
    fmt::print(stderr, "{}{}\n", which, run);
    std::fflush(stderr);
    last_ = now();
}

}  // namespace quartet::bench
