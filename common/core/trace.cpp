#include "core/trace.hpp"

#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

namespace quartet {

namespace {

constexpr std::array<std::string_view, phase_count> phase_names = {
    "read",     "copy_in", "compute", "copy_out", "push",
    "exchange", "reduce",  "merge",   "wait",     "checkpoint"};

std::size_t index(Phase phase) {
    return static_cast<std::size_t>(phase);
}

// Labels need not be UTF-8; a document must be.
std::string text(const nlohmann::json& event) {
    return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double microseconds(Seconds duration) {
    return 1e6 * duration.value;
}

std::string metadata(const char* what, int process, const nlohmann::json& arguments) {
    return text({{"name", what}, {"ph", "M"}, {"pid", process}, {"args", arguments}});
}

std::string thread_metadata(const char* what, int process, std::size_t thread,
                            const nlohmann::json& arguments) {
    return text(
        {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", arguments}});
}

/// A period of time on a line of the timeline.
struct TimelineEvent {
    std::string_view label;
    std::string_view category;
    Seconds begin;
    Seconds end;
};

std::string complete_event(const TimelineEvent& event, const TraceProcess& process,
                           std::size_t thread) {
    const Seconds begin = process.clock(event.begin) - process.origin;
    const Seconds end = process.clock(event.end) - process.origin;
    return text({{"name", event.label},
                 {"cat", event.category},
                 {"ph", "X"},
                 {"pid", process.rank},
                 {"tid", thread},
                 {"ts", microseconds(begin)},
                 {"dur", microseconds(end - begin)}});
}

}  // namespace

std::string_view name(Phase phase) {
    return phase_names.at(index(phase));
}

Track::Track(std::string name, std::size_t capacity) : name_(std::move(name)), capacity_(capacity) {
    spans_.reserve(capacity);
}

void Track::add(const SpanRecord& span) {
    busy_[index(span.phase)] += (span.end - span.begin).value;
    if (spans_.size() < capacity_) {
        spans_.push_back(span);
    } else if (capacity_ > 0) {
        ++dropped_;
    }
}

void Track::reset_busy() {
    busy_.fill(0);
}

Span::Span(Track& track, Phase phase, const char* label)
    : track_(track), phase_(phase), label_(label), begin_(now()) {}

Span::~Span() {  // NOLINT(bugprone-exception-escape): add() has reserved what it needs
    track_.add({phase_, label_, begin_, now()});
}

Trace::Trace(std::size_t spans_per_track) : capacity_(spans_per_track) {}

Track& Trace::track(std::string name) {
    return tracks_.emplace_back(std::move(name), capacity_);
}

PhaseSeconds Trace::busy() const {
    PhaseSeconds sum{};
    for (const Track& track : tracks_) {
        for (std::size_t phase = 0; phase < phase_count; ++phase) {
            sum[phase] += track.busy()[phase];
        }
    }
    return sum;
}

void Trace::reset_busy() {
    for (Track& track : tracks_) {
        track.reset_busy();
    }
}

void Trace::note_period(std::string label, Seconds begin, Seconds end) {
    if (capacity_ > 0) {
        periods_.push_back({std::move(label), begin, end});
    }
}

std::size_t Trace::dropped() const {
    std::size_t sum = 0;
    for (const Track& track : tracks_) {
        sum += track.dropped();
    }
    return sum;
}

// Thread 0 shows the periods, the others the tracks.
std::string Trace::events(const TraceProcess& process) const {
    std::string result = metadata("process_name", process.rank, {{"name", process.name}});
    const auto append = [&](const std::string& event) { result += ",\n" + event; };
    append(metadata("process_sort_index", process.rank, {{"sort_index", process.rank}}));
    append(thread_metadata("thread_name", process.rank, 0, {{"name", "runs"}}));
    append(thread_metadata("thread_sort_index", process.rank, 0, {{"sort_index", 0}}));
    for (const Period& period : periods_) {
        append(complete_event({period.label, "run", period.begin, period.end}, process, 0));
    }
    for (std::size_t thread = 1; const Track& track : tracks_) {
        append(thread_metadata("thread_name", process.rank, thread,
                               {{"name", track.name()}, {"dropped", track.dropped()}}));
        append(
            thread_metadata("thread_sort_index", process.rank, thread, {{"sort_index", thread}}));
        for (const SpanRecord& span : track.spans()) {
            append(complete_event({span.label, quartet::name(span.phase), span.begin, span.end},
                                  process, thread));
        }
        ++thread;
    }
    return result;
}

void write_chrome_trace(std::ostream& out, std::span<const std::string> events_by_rank,
                        std::size_t dropped) {
    out << R"({"displayTimeUnit": "ms", "otherData": {"dropped_spans": )" << dropped
        << R"(}, "traceEvents": [)";
    std::string_view separator = "\n";
    for (const std::string& events : events_by_rank) {
        if (!events.empty()) {
            out << separator << events;
            separator = ",\n";
        }
    }
    out << "\n]}\n";
}

}  // namespace quartet
