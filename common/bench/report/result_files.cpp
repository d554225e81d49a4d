#include "bench/report/result_files.hpp"

#include <nlohmann/json.hpp>

#include "bench/report/document.hpp"
#include "bench/report/verdict.hpp"
#include "bench/results/json_values.hpp"
#include "bench/results/whole_task.hpp"
#include "core/files/result_file.hpp"

namespace quartet::bench {

namespace {

void complete(std::vector<Row>& rows, Session& session) {
    for (Row& row : rows) {
        row.whole_task = whole_task(session.record().stages, row);
        row.work.gpus = static_cast<int>(session.gpus().all().size());
    }
}

}  // namespace

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
    try_to_write([&] {
        Measured measured{rows_so_far(), {}};
        complete(measured.rows, session_);
        write_document(measured, Completion::under_way);
    });
    last_write_ = now();
    writing_ = last_write_ - begin;
}

void ResultFiles::write(Measured& measured) {
    complete(measured.rows, session_);
    const auto write_all = [&] { write_document(measured, Completion::complete); };
    StageClock& stages = session_.record().stages;
    stages.end(Stage::rest);
    try_to_write(write_all);
    stages.end(Stage::write_document);
    if (problem_.empty()) {
        try_to_write(write_all);  // with the time that this took
    }
    write_trace();
}

void ResultFiles::write_document(const Measured& measured, Completion completion) const {
    const auto& file = session_.options().json;
    if (session_.is_root() && file) {
        const auto& rows = measured.rows;
        const nlohmann::ordered_json document{
            {"context",
             context(session_, options_, measured, completion, warnings(session_, rows))},
            {"benchmarks", benchmarks(rows, session_.isa())}};
        write_aside(*file, text_of(document) + "\n");
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
