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

std::string track_event(const Track& track, int process, std::size_t thread) {
    return text({{"name", "thread_name"},
                 {"ph", "M"},
                 {"pid", process},
                 {"tid", thread},
                 {"args", {{"name", track.name()}, {"dropped", track.dropped()}}}});
}

std::string span_event(const SpanRecord& span, int process, std::size_t thread, Seconds origin) {
    return text({{"name", span.label},
                 {"cat", name(span.phase)},
                 {"ph", "X"},
                 {"pid", process},
                 {"tid", thread},
                 {"ts", microseconds(span.begin - origin)},
                 {"dur", microseconds(span.end - span.begin)}});
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

Span::~Span() {
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

std::string Trace::events(int process, Seconds origin) const {
    std::string result;
    const auto append = [&](const std::string& event) {
        result += result.empty() ? "" : ",\n";
        result += event;
    };
    for (std::size_t thread = 0; thread < tracks_.size(); ++thread) {
        append(track_event(tracks_[thread], process, thread));
        for (const SpanRecord& span : tracks_[thread].spans()) {
            append(span_event(span, process, thread, origin));
        }
    }
    return result;
}

void write_chrome_trace(std::ostream& out, std::span<const std::string> events_by_rank) {
    out << R"({"displayTimeUnit": "ms", "traceEvents": [)";
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
