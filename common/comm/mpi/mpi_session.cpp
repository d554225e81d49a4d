#include "comm/mpi/mpi_session.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace quartet::comm {

void check_mpi(int code, std::source_location where) {
    if (code == MPI_SUCCESS) {
        return;
    }
    std::array<char, MPI_MAX_ERROR_STRING> words{};
    int length = 0;
    if (MPI_Error_string(code, words.data(), &length) != MPI_SUCCESS) {
        length = 0;
    }
    throw Failure("an MPI call at " + describe(where) + " failed (" +
                  std::string(words.data(), static_cast<std::size_t>(length)) + ", error " +
                  std::to_string(code) + ")");
}

MpiSession::MpiSession(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
    int provided = MPI_THREAD_SINGLE;
    check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided));
    // Calls that name no communicator report to the handler of one of these two.
    check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    check_mpi(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    // There are other threads, but only the main thread calls MPI.
    if (provided < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        throw Failure(
            "this MPI library is built without threads (MPI_THREAD_FUNNELED is needed): "
            "use another build of it");
    }
}

MpiSession::~MpiSession() {
    if (std::uncaught_exceptions() > exceptions_) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::cerr << "rank " << rank << " ends the job after an error\n";
        abort(ExitCode::failed);
    }
    MPI_Finalize();
}

std::string MpiSession::library_version() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> words{};
    int length = 0;
    check_mpi(MPI_Get_library_version(words.data(), &length));
    std::string text(words.data(), static_cast<std::size_t>(length));
    text.resize(std::min(text.find_first_of(",\n"), text.size()));  // builder and dates follow
    std::ranges::replace(text, '\t', ' ');
    const auto both_blank = [](char a, char b) { return a == ' ' && b == ' '; };
    const auto repeated = std::ranges::unique(text, both_blank);
    text.erase(repeated.begin(), repeated.end());
    return text;
}

void MpiSession::abort(ExitCode code) {
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    int initialised = 0;
    int finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    if (initialised != 0 && finalised == 0) {
        MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
    }
    std::_Exit(static_cast<int>(code));
}

}  // namespace quartet::comm
