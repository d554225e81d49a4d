#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/program/forecast.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// Says on the root's standard error how long the job will take, if that is long, which case runs
/// for the first time, and every few seconds how far it is. A batch job, whose log is read later,
/// gets a line a minute.
class ProgressLine {
  public:
    /// Collective. In a batch job a line stands again after `in_jobs`.
    explicit ProgressLine(Session& session, Seconds in_jobs = {60});
    /// `total` is 0 while it is unknown. Local.
    void begin_run(std::size_t index, int done, int total);

  private:
    /// How the line is shown.
    struct Style {
        Seconds patience;     ///< until a line stands again
        bool says_each_case;  ///< at once
    };
    static std::optional<Style> style_of(const Session& session, Seconds in_jobs);
    void say_again(const std::stop_token& stop);
    void say();  ///< with the lock held

    const Session& session_;
    std::optional<Style> style_;
    std::optional<Forecast> forecast_;
    std::vector<bool> begun_;  ///< by case
    Seconds begin_;

    std::mutex lock_;
    std::condition_variable_any stopped_;
    std::string text_;
    Seconds last_;
    std::jthread repeater_;  ///< says the text again while one run takes long
};

}  // namespace quartet::bench
