#include "bench/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>

#include "bench/measure/measure.hpp"
#include "bench/program/plan.hpp"
#include "bench/program/progress.hpp"
#include "bench/report/terminal.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "core/columns.hpp"

namespace quartet::bench {

namespace {

constexpr std::size_t column_of_reasons = 13;  // of --list
constexpr std::size_t continued = 6;

int code(ExitCode exit_code) {
    return static_cast<int>(exit_code);
}

void print_error(const std::string& text) {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

// If several ranks fail at once, one message is enough. The first rank speaks and ends the others
// before they do.
std::chrono::milliseconds wait_before_speaking(int rank) {
    constexpr std::chrono::milliseconds to_be_ended{500};  // enough on a busy machine
    constexpr std::chrono::milliseconds between{100};
    constexpr int most = 20;
    return rank == 0 ? std::chrono::milliseconds{0} : to_be_ended + std::min(rank, most) * between;
}

// The standard library's messages say neither what was wanted nor what to do.
std::string message_of(const std::exception& error) {
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

}  // namespace

Program::Program(ProgramDescription description, comm::TransportRegistry registry)
    : description_(std::move(description)),
      registry_(std::move(registry)),
      command_line_(description_.name, description_.summary) {
    stop_request_.take_signals();
}

Program::~Program() {
    stop_request_.ignore_later();
}

int Program::run(int argc, char** argv, const std::function<void(Session&)>& plan) {
    int rank = -1;
    const auto refuse = [&](const Error& error) {
        if (rank == 0) {
            say(error.what());
        }
        return code(error.exit_code());
    };
    try {
        Environment environment;
        const Seconds launched = now() - since_launch(environment);
        const comm::MpiSession mpi(argc, argv);
        const auto world = comm::Communicator::world();
        rank = world.rank();
        // UsageError and Unavailable are thrown on all ranks, so that all can finalise MPI.
        try {
            parse(argc, argv, world);
            if (text_) {
                if (rank == 0) {
                    print(*text_);
                }
                return code(judged_by_output(ExitCode::verified, world));
            }
            Session session(description_, command_line_.options(), registry_);
            session.record().start_up = now() - launched;
            session.stop_request() = stop_request_;
            return code(judged_by_output(run_session(session, plan), world));
        } catch (const UsageError& error) {
            return refuse(error);
        } catch (const Unavailable& error) {
            return refuse(error);
        } catch (const std::exception& error) {
            stop_request_ = {};  // so that a signal of the launcher ends this rank
            std::this_thread::sleep_for(wait_before_speaking(rank));
            say(fmt::format("rank {}: {}", rank, message_of(error)));
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
        unavailable = why_unavailable([&] { text_ = command_line_.parse(argc, argv); });
    });
    if (const auto first = world.first(unavailable)) {
        throw Unavailable(*first);
    }
}

ExitCode Program::run_session(Session& session, const std::function<void(Session&)>& plan) {
    const CommonOptions& options = session.options();
    const auto print_on_root = [&](const std::string& text) {
        if (session.is_root()) {
            print(text);
        }
    };
    if (options.list == Switch::on) {
        print_on_root(within_columns(describe_choices(session), column_of_reasons));
        return ExitCode::verified;
    }
    comm::agree<UsageError>(session.world(), [&] {
        plan(session);
        apply_filter(session);
    });
    session.require_writable_results();
    find_needs(session);
    require_memory(session);
    if (options.dry_run == Switch::on) {
        print_on_root(within_columns(describe_plan(session), continued));
        return ExitCode::verified;
    }
    if (options.cluster == Switch::on) {
        print_on_root(within_columns(describe_clusters(session), continued));
    }
    ResultFiles files(session, command_line_.resolved());
    const Measured measured = [&] {
        ProgressLine progress(session);  // it ends with the runs
        return measure(session,
                       {.on_run = [&](std::size_t index, int done,
                                      int total) { progress.begin_run(index, done, total); },
                        .on_rows = [&](const auto& rows_so_far) { files.update(rows_so_far); }});
    }();
    files.write(measured);
    const bool is_written = !session.world().any(!files.problem().empty());
    report(session, measured, is_written, files.warning());
    if (!is_written) {
        if (session.is_root()) {
            say(files.problem());
        }
        return ExitCode::failed;
    }
    return verdict(measured);
}

void Program::report(const Session& session, const Measured& measured, bool is_written,
                     const std::string& warning) {
    if (!session.is_root()) {
        return;
    }
    const std::vector<Row>& rows = measured.rows;
    const auto& json = session.options().json;
    if (session.options().quiet == Switch::off) {
        const bool is_given = session.gpus().empty() && session.options().isa != "auto";
        print(rows_text(rows, is_given ? session.isa() : session.gpus().summary()));
        for (const std::string& text : warnings(session, rows)) {
            const bool is_marked = text.starts_with("? ") || text.starts_with("! ");
            print(
                within_columns(fmt::format("{}{}", is_marked ? "" : "warning: ", text), continued));
        }
        if (json && is_written) {
            print(fmt::format("more: quartet table {}\n", json->native()));
        }
    }
    if (!warning.empty()) {
        say(warning);
    }
    const auto is_measured = [](const Row& row) { return row.error.empty(); };
    if (measured.stopped && std::ranges::any_of(rows, is_measured)) {  // else failures_of() says so
        say(fmt::format("stopped on request: complete runs are kept{}",
                        json ? "" : " in the printed rows alone"));
    }
    print_error(failures_of(rows, description_.name));
}

// Standard output may not have been written: the disk is full, or its reader has ended. Collective.
ExitCode Program::judged_by_output(ExitCode exit_code, const comm::Communicator& world) const {
    if (!world.any(output_error_ != 0)) {
        return exit_code;
    }
    if (world.rank() == 0) {
        say(fmt::format("standard output cannot be written ({}): send it elsewhere",
                        std::generic_category().message(output_error_)));
    }
    return ExitCode::failed;
}

void Program::print(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) != 0) {
        output_error_ = errno;
    }
}

void Program::say(const std::string& message) const {
    print_error(fmt::format("{}: {}\n", description_.name, message));
}

}  // namespace quartet::bench
