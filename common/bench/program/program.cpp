#include "bench/program/program.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <thread>

#include "bench/flags/filter.hpp"
#include "bench/measure/measure.hpp"
#include "bench/measure/progress_line.hpp"
#include "bench/program/plan.hpp"
#include "bench/report/cluster.hpp"
#include "bench/report/document.hpp"
#include "bench/report/provenance.hpp"
#include "bench/report/rows_text.hpp"
#include "bench/report/timeline.hpp"
#include "bench/report/verdict.hpp"
#include "bench/results/json_values.hpp"
#include "bench/results/whole_task.hpp"
#include "comm/mpi/agree.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "core/files/result_file.hpp"
#include "device/model/emulation.hpp"

namespace quartet::bench {

namespace {

int code(ExitCode exit_code) {
    return static_cast<int>(exit_code);
}

void print(std::FILE* stream, const std::string& text) {
    std::fputs(text.c_str(), stream);
    std::fflush(stream);
}

// Where several ranks fail at once, the first one's words are enough: it ends the others, unless
// they have spoken by then.
std::chrono::milliseconds wait_before_speaking(int rank) {
    constexpr std::chrono::milliseconds to_be_ended{500};  // what it takes on a busy machine
    constexpr std::chrono::milliseconds between{100};
    constexpr int most = 20;
    return rank == 0 ? std::chrono::milliseconds{0} : to_be_ended + std::min(rank, most) * between;
}

// What the standard library throws says neither what was wanted nor what to do.
std::string words_of(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
        return "out of memory (the system gave none): ask for a smaller size or fewer ranks, or "
               "set --memory";
    }
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
        return fmt::format("cannot use {} ({}): check the path and its permissions",
                           quotation(file->path1().native()), file->code().message());
    }
    return error.what();
}

// The same on all ranks.
void require_no_files_of_model(const Session& session) {
    const bool uses_files = std::ranges::any_of(session.plan(), [](const PlannedCase& planned) {
        return planned.uses_files || planned.repetition == Repetition::once;
    });
    if (uses_files && session.options().machine) {
        throw UsageError(fmt::format(
            "--device {}: it computes nothing (files would have nothing in them): leave out --data "
            "and --checkpoint",
            session.options().device));
    }
}

std::vector<Row> finished(Session& session, std::vector<Row> rows) {
    for (Row& row : rows) {
        row.whole_task = whole_task(session.record().stages, row);
        row.work.gpus = static_cast<int>(session.gpus().all().size());
    }
    return rows;
}

}  // namespace

Program::Program(ProgramDescription description, comm::TransportRegistry registry)
    : description_(std::move(description)),
      registry_(std::move(registry)),
      command_line_(description_.name, description_.summary) {}

int Program::run(int argc, char** argv, const std::function<void(Session&)>& plan) {
    int rank = -1;
    const auto say = [&](const std::string& message) {
        print(stderr, fmt::format("{}: {}\n", description_.name, message));
    };
    try {
        Environment environment;
        StageClock stages(launch_time(environment));
        const comm::MpiSession mpi(argc, argv);
        stages.end(Stage::mpi_start);
        const auto world = comm::Communicator::world();
        rank = world.rank();
        // UsageError and Unavailable are thrown on all ranks, so that all can finalise MPI.
        try {
            parse(argc, argv, world);
            if (text_) {
                if (rank == 0) {
                    print(stdout, *text_);
                }
                return code(ExitCode::verified);
            }
            stages.end(Stage::plan);
            Session session(description_, command_line_.options(), registry_);
            stages.end(Stage::device_start);
            session.record().stages = stages;
            if (!device::ranks_are_simulated()) {
                session.take_signals();  // of a process: simulated ranks share one
            }
            return code(run_session(session, plan));
        } catch (const UsageError& error) {
            if (rank == 0) {
                say(error.what());
            }
            return code(error.exit_code());
        } catch (const Unavailable& error) {
            if (rank == 0) {
                say(error.what());
            }
            return code(error.exit_code());
        } catch (const std::exception& error) {
            std::this_thread::sleep_for(wait_before_speaking(rank));
            say(fmt::format("rank {}: {}", rank, words_of(error)));
            comm::MpiSession::abort(ExitCode::failed);
        }
    } catch (const std::exception& error) {  // MPI itself
        say(error.what());
        return code(ExitCode::failed);
    }
}

void Program::parse(int argc, char** argv, const comm::Communicator& world) {
    std::optional<std::string> unavailable;
    comm::agree<UsageError>(world, [&] {
        try {
            text_ = command_line_.parse(argc, argv);
        } catch (const Unavailable& error) {
            unavailable = error.what();
        }
    });
    if (const auto first = world.first(unavailable)) {
        throw Unavailable(*first);
    }
}

ExitCode Program::run_session(Session& session, const std::function<void(Session&)>& plan) {
    const CommonOptions& options = session.options();
    if (options.list == Switch::on) {
        const std::string choices = describe_choices(session);
        if (session.is_root()) {
            print(stdout, choices);
        }
        return ExitCode::verified;
    }
    comm::agree<UsageError>(session.world(), [&] {
        plan(session);
        apply_filter(session);
    });
    require_no_files_of_model(session);
    session.claim_files();
    if (!device::ranks_are_simulated()) {  // on machines whose memory is not there
        require_memory(session);
    }
    if (options.dry_run == Switch::on) {
        const std::string text = describe_plan(session);
        if (session.is_root()) {
            print(stdout, text);
        }
        return ExitCode::verified;
    }
    if (options.cluster == Switch::on && session.is_root()) {
        print(stdout, describe_clusters(session));
    }
    session.record().stages.end(Stage::plan);
    const Measured measured = measure_all(session);
    report(session, measured);
    if (session.world().any(!write_problem_.empty())) {
        if (session.is_root()) {
            print(stderr, fmt::format("{}: {}\n", description_.name, write_problem_));
        }
        return ExitCode::failed;
    }
    return verdict(measured);
}

Measured Program::measure_all(Session& session) {
    std::optional<Timeline> timeline;
    if (session.options().trace) {
        timeline.emplace(session);
    }
    ProgressLine progress(session);
    // Written while measuring, so that a later failure does not lose it; in a fiftieth of the time.
    constexpr double between_writes = 50;
    Seconds last_write = now();
    Seconds writing{0};
    const auto write = [&](const std::vector<Row>& rows) {
        write_document(session, {finished(session, rows), {}}, Completion::under_way);
    };
    const Listener listener{.on_run = [&](std::size_t index, int done,
                                          int total) { progress.begin_run(index, done, total); },
                            .on_rows =
                                [&](const auto& rows_so_far) {
                                    const Seconds begin = now();
                                    if (session.is_root() && session.options().json &&
                                        begin - last_write > between_writes * writing) {
                                        try_to_write([&] { write(rows_so_far()); });
                                        last_write = now();
                                        writing = last_write - begin;
                                    }
                                }};
    Measured measured = measure(session, listener);
    measured.rows = finished(session, std::move(measured.rows));
    const auto write_all = [&] { write_document(session, measured, Completion::complete); };
    session.record().stages.end(Stage::rest);
    try_to_write(write_all);
    session.record().stages.end(Stage::write_document);
    if (write_problem_.empty()) {
        try_to_write(write_all);  // with the time that this took
    }
    if (timeline) {
        const TimelineDocument document = timeline->document();
        if (!document.warning.empty()) {
            print(stderr, fmt::format("{}: {}\n", description_.name, document.warning));
        }
        try_to_write([&] {
            if (session.is_root()) {
                write_aside(*session.options().trace, document.text);
            }
        });
    }
    return measured;
}

void Program::write_document(Session& session, const Measured& measured,
                             Completion completion) const {
    if (session.is_root() && session.options().json) {
        const auto& rows = measured.rows;
        const nlohmann::ordered_json document{
            {"context", context(session, command_line_.resolved(), measured, completion,
                                warnings(session, rows))},
            {"benchmarks", benchmarks(rows)}};
        write_aside(*session.options().json, text_of(document) + "\n");
    }
}

// A full disk must not lose the measurements: the problem is reported at the end.
void Program::try_to_write(const std::function<void()>& write) {
    try {
        write();
    } catch (const Failure& failure) {
        write_problem_ = failure.what();
    }
}

void Program::report(Session& session, const Measured& measured) const {
    if (!session.is_root()) {
        return;
    }
    const std::vector<Row>& rows = measured.rows;
    if (session.options().quiet == Switch::off) {
        print(stdout, rows_text(rows, session.gpus().summary()));
        for (const std::string& warning : warnings(session, rows)) {
            const bool is_marked = warning.starts_with("? ") || warning.starts_with("! ");
            print(stdout, fmt::format("{}{}\n", is_marked ? "" : "warning: ", warning));
        }
        if (const auto& json = session.options().json) {
            print(stdout, fmt::format("more: quartet table {}\n", json->native()));
        }
    }
    if (measured.method.stopped && has_runs(rows)) {  // else failures_of() says so
        print(stderr,
              fmt::format("{}: stopped on request: complete runs are kept{}\n", description_.name,
                          session.options().json ? "" : " in the printed rows alone"));
    }
    print(stderr, failures_of(rows, description_.name));
}

}  // namespace quartet::bench
