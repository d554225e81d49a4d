#pragma once

#include <functional>
#include <vector>

#include "bench/flags/command_line.hpp"
#include "bench/measure/measure.hpp"
#include "bench/report/provenance.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// The whole of one program: it parses the command line, plans the cases, refuses what does not
/// fit, measures and verifies each case, reports, and returns the exit code.
class Program {
  public:
    explicit Program(ProgramDescription description,
                     comm::TransportRegistry registry = comm::TransportRegistry::standard());

    /// Takes the program's own flags.
    CommandLine& command_line() { return command_line_; }

    /// Runs the cases that `plan` adds to the session, and returns the exit code. Usage errors are
    /// agreed by all ranks before anything is allocated; a failure on any rank ends all of them.
    int run(int argc, char** argv, const std::function<void(Session&)>& plan);

  private:
    void parse(int argc, char** argv, const comm::Communicator& world);
    ExitCode run_session(Session& session, const std::function<void(Session&)>& plan);
    Measured measure_all(Session& session);
    void write_document(Session& session, const Measured& measured, Completion completion) const;
    void try_to_write(const std::function<void()>& write);
    void report(Session& session, const Measured& measured) const;

    ProgramDescription description_;
    comm::TransportRegistry registry_;
    CommandLine command_line_;
    std::optional<std::string> text_;  ///< to print instead of running
    std::string write_problem_;        ///< why a file could not be written, on the root
};

}  // namespace quartet::bench
