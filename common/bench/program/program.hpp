#pragma once

#include <functional>
#include <optional>

#include "bench/flags/command_line.hpp"
#include "bench/measure/measure.hpp"
#include "bench/report/result_files.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// One program from start to end: it parses the command line, plans the cases, refuses cases that
/// do not fit, measures and verifies each case, reports, and returns the exit code.
class Program {
  public:
    explicit Program(ProgramDescription description,
                     comm::TransportRegistry registry = comm::TransportRegistry::standard());
    /// From now on, signals to stop are ignored for the rest of the process: all work is done.
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// The command line, to which the program adds its own flags.
    CommandLine& command_line() { return command_line_; }

    /// Runs the cases that `plan` adds to the session, and returns the exit code. Usage errors are
    /// agreed by all ranks before anything is allocated; a failure on any rank ends all of them.
    int run(int argc, char** argv, const std::function<void(Session&)>& plan);

  private:
    void parse(int argc, char** argv, const comm::Communicator& world);
    ExitCode run_session(Session& session, const std::function<void(Session&)>& plan);
    void report(const Session& session, const Measured& measured, bool is_written,
                const std::string& warning);
    [[nodiscard]] ExitCode judged_by_output(ExitCode exit_code,
                                            const comm::Communicator& world) const;
    void print(const std::string& text);
    void say(const std::string& message) const;

    StopRequest stop_request_;  ///< takes signals before MPI starts
    ProgramDescription description_;
    comm::TransportRegistry registry_;
    CommandLine command_line_;
    std::optional<std::string> text_;  ///< to print instead of running
    int output_error_ = 0;             ///< errno of the last failed write to standard output
};

}  // namespace quartet::bench
