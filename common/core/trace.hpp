#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace quartet {

/// The purpose of a span of time; the same words in results and traces.
enum class Phase {
    read,
    copy_in,
    compute,
    copy_out,
    push,
    exchange,
    reduce,
    merge,
    wait,
    checkpoint
};
inline constexpr std::size_t phase_count = 10;
std::string_view name(Phase phase);

/// Busy seconds per phase, indexed by Phase.
using PhaseSeconds = std::array<double, phase_count>;

/// One closed span on a track. `label` must outlive the trace (a string literal).
struct SpanRecord {
    Phase phase;
    const char* label;
    Seconds begin;
    Seconds end;
};

/// The timeline of one thread or device stream. Used by one thread at a time; it sums busy time
/// always, and keeps spans only while recording. Never allocates after construction: spans beyond
/// the capacity are counted as dropped.
class Track {
  public:
    Track(std::string name, std::size_t capacity);

    void add(const SpanRecord& span);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const PhaseSeconds& busy() const { return busy_; }
    /// Whether spans are kept, or only their times summed.
    [[nodiscard]] bool keeps_spans() const { return capacity_ > 0; }
    [[nodiscard]] std::span<const SpanRecord> spans() const { return spans_; }
    [[nodiscard]] std::size_t dropped() const { return dropped_; }
    void reset_busy() { busy_.fill(0); }

  private:
    std::string name_;
    PhaseSeconds busy_{};
    std::vector<SpanRecord> spans_;
    std::size_t capacity_;
    std::size_t dropped_ = 0;
};

/// Adds the time between its construction and destruction to a track.
class Span {
  public:
    Span(Track& track, Phase phase, const char* label);
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

  private:
    Track& track_;
    Phase phase_;
    const char* label_;
    Seconds begin_;
};

/// The result of comparing a clock with another clock.
struct ClockReading {
    Seconds at;     ///< when, by this clock
    Seconds ahead;  ///< how far the other clock was ahead then
};

/// Converts a clock's time to another clock's. Between two readings their difference changes
/// linearly, as with two quartz clocks.
class LinearClock {
  public:
    /// Both clocks are the same.
    constexpr LinearClock() = default;
    /// `last` is not before `first`; if both have the same time, the difference is constant.
    constexpr LinearClock(const ClockReading& first, const ClockReading& last)
        : first_(first),
          drift_(last.at > first.at ? (last.ahead - first.ahead) / (last.at - first.at) : 0) {}

    [[nodiscard]] constexpr Seconds operator()(Seconds own) const {
        return own + first_.ahead + drift_ * (own - first_.at);
    }

  private:
    ClockReading first_{};
    double drift_ = 0;  ///< seconds per second
};

/// A process as a timeline shows it.
struct TraceProcess {
    int rank = 0;
    std::string name;   ///< "rank 3, node1, worker"
    LinearClock clock;  ///< converts this process's time to the timeline's
    Seconds origin;     ///< the timeline's beginning, by its own clock
};

/// All tracks of one process.
class Trace {
  public:
    /// Keeps up to `spans_per_track` spans a track; 0 sums phases only.
    explicit Trace(std::size_t spans_per_track = 0);

    /// A new track; the reference stays valid for the trace's lifetime. Main thread only.
    Track& track(std::string name);

    /// Sum over all tracks; call while no stream is busy.
    [[nodiscard]] PhaseSeconds busy() const;
    void reset_busy();

    /// Notes a period of the whole process from `begin` to `end`, such as "run 3 of cg/native/...",
    /// on a separate line above the tracks. Kept only while recording. Allocates.
    void note_period(std::string label, Seconds begin, Seconds end);

    /// How many spans were not kept, since their tracks were full.
    [[nodiscard]] std::size_t dropped() const;

    /// This process's tracks as events of Chrome's trace format, comma-separated, without the
    /// enclosing array: a process line, a thread line for each track, times in microseconds.
    [[nodiscard]] std::string events(const TraceProcess& process) const;

  private:
    struct Period {
        std::string label;
        Seconds begin;
        Seconds end;
    };

    std::size_t capacity_;
    std::deque<Track> tracks_;
    std::vector<Period> periods_;
};

/// Writes the events of all ranks (Trace::events) as one Chrome trace document, which says how many
/// spans are missing in it.
void write_chrome_trace(std::ostream& out, std::span<const std::string> events_by_rank,
                        std::size_t dropped);

}  // namespace quartet
