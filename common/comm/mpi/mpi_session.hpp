#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <source_location>
#include <string>

#include "core/check.hpp"

namespace quartet::comm {

/// Throws Failure with the MPI library's own words unless `code` is MPI_SUCCESS. Every MPI call of
/// the suite goes through it: communicators return errors instead of aborting.
void check_mpi(int code, std::source_location where = std::source_location::current());

/// Initialises and finalises MPI, with MPI_THREAD_FUNNELED: only the main thread calls MPI.
/// Destroyed while an exception unwinds, it aborts the job instead of finalising, since the other
/// ranks may never reach the finalisation.
class MpiSession {
  public:
    /// Collective. Throws Failure if MPI does not offer MPI_THREAD_FUNNELED.
    MpiSession(int& argc, char**& argv);
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    /// "Open MPI v4.1.4", the first line of what the library says of itself.
    [[nodiscard]] static std::string library_version();

    /// Flushes the standard streams and ends all ranks with `code`. Local: any rank may call it at
    /// any time.
    [[noreturn]] static void abort(ExitCode code);

  private:
    int exceptions_;  ///< how many were in flight at construction
};

/// The settings of the MPI library that affect how it moves data and waits, with their present
/// values, from its tools interface (MPI_T control variables). Leaves out settings that the library
/// does not know. Local.
std::map<std::string, std::string> mpi_settings();

/// Why this MPI cannot send and receive memory of a GPU, or nothing. Asks the library at run time
/// if it has a call for that. QUARTET_MPI_GPU=1 in the environment says that it can: for libraries
/// that do not know, such as an MPI over a UCX with CUDA. Local; MPI must be initialised.
std::optional<std::string> why_mpi_reaches_no_gpu();

}  // namespace quartet::comm
