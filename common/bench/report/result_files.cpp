#include "bench/report/result_files.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <sstream>

#include "bench/report/terminal.hpp"
#include "comm/mpi/communicator.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

Timeline::Timeline(Session& session)
    : session_(session),
      origin_{session.world().broadcast(now().value, 0)},
      first_(comm::compare_with_root(session.world())) {}

TimelineDocument Timeline::document() const {
    const comm::Communicator& world = session_.world();
    const int rank = world.rank();
    const ClockReading last = comm::compare_with_root(world);
    const std::string name = fmt::format("rank {}, {}, {}", rank, session_.topology().mine().host,
                                         role_of(session_, rank));
    const auto events = world.gather_to_root(session_.trace().events(
        {.rank = rank, .name = name, .clock = {first_, last}, .origin = origin_}));
    const double dropped = world.sum(static_cast<double>(session_.trace().dropped()));
    if (!session_.is_root()) {
        return {};
    }
    std::ostringstream text;
    write_chrome_trace(text, events, static_cast<std::size_t>(dropped));
    TimelineDocument document{text.str(), {}};
    if (dropped > 0) {
        document.warning = fmt::format(
            "--trace: the timeline lacks its last {:.0f} spans (each line keeps {}): ask for fewer "
            "--runs, or larger tiles",
            dropped, traced_spans_per_track);
    }
    return document;
}

ResultFiles::ResultFiles(Session& session, std::vector<std::pair<std::string, std::string>> options)
    : session_(session), options_(std::move(options)), last_write_(now()) {
    if (session.options().trace) {
        timeline_.emplace(session);
    }
}

void ResultFiles::update(const std::function<std::vector<Row>()>& rows_so_far) {
    constexpr double between_writes = 50;
    const Seconds begin = now();
    if (!session_.is_root() || !session_.options().json ||
        begin - last_write_ <= between_writes * writing_) {
        return;
    }
    try_to_write([&] { write_document({.rows = rows_so_far()}, Completion::under_way); });
    last_write_ = now();
    writing_ = last_write_ - begin;
}

void ResultFiles::write(const Measured& measured) {
    try_to_write([&] { write_document(measured, Completion::complete); });
    write_trace();
}

void ResultFiles::write_document(const Measured& measured, Completion completion) const {
    const auto& file = session_.options().json;
    if (session_.is_root() && file) {
        const auto& rows = measured.rows;
        const nlohmann::ordered_json document{
            {"context",
             context(session_, options_, measured, completion, warnings(session_, rows))},
            {"benchmarks", benchmarks(rows, {session_.isa(), session_.record().start_up})}};
        write_aside(
            *file,
            document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    }
}

void ResultFiles::write_trace() {
    if (!timeline_) {
        return;
    }
    const TimelineDocument document = timeline_->document();
    warning_ = document.warning;
    if (session_.is_root()) {
        try_to_write([&] { write_aside(*session_.options().trace, document.text); });
    }
}

void ResultFiles::try_to_write(const std::function<void()>& write) {
    try {
        write();
    } catch (const Failure& failure) {
        problem_ = failure.what();
    }
}

}  // namespace quartet::bench
