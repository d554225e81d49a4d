#include "comm/mpi/mpi_session.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

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

namespace {

// Parameters of Open MPI 4 and 5, and of MPICH.
constexpr std::array names{"pml",
                           "btl",
                           "mtl",
                           "osc",
                           "coll",
                           "btl_vader_flags",
                           "btl_vader_single_copy_mechanism",
                           "btl_vader_eager_limit",
                           "btl_vader_max_send_size",
                           "btl_vader_backing_directory",
                           "btl_sm_flags",
                           "btl_sm_eager_limit",
                           "btl_sm_max_send_size",
                           "smsc",
                           "btl_tcp_if_include",
                           "btl_tcp_if_exclude",
                           "mpi_yield_when_idle",
                           "mpi_leave_pinned",
                           "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE",
                           "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD",
                           "MPIR_CVAR_NOLOCAL"};

// Nothing if the value cannot be read, or is neither text nor one whole number.
std::optional<std::string> read(MPI_T_cvar_handle handle, MPI_Datatype type, int count) {
    const auto value_as = [&](auto value) -> std::optional<std::string> {
        if (count != 1 || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) {
            return std::nullopt;
        }
        return std::to_string(value);
    };
    if (type == MPI_CHAR) {
        std::vector<char> text(static_cast<std::size_t>(count) + 1);
        return MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS ? std::optional(text.data())
                                                                   : std::nullopt;
    }
    return type == MPI_INT                  ? value_as(int{})
           : type == MPI_UNSIGNED           ? value_as(unsigned{})
           : type == MPI_UNSIGNED_LONG      ? value_as(0UL)
           : type == MPI_UNSIGNED_LONG_LONG ? value_as(0ULL)
                                            : std::nullopt;
}

std::optional<std::string> setting(const char* name) {
    int index = 0;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) {
        return std::nullopt;
    }
    int no_text = 0;
    int no_description = 0;
    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    if (MPI_T_cvar_get_info(index, nullptr, &no_text, &verbosity, &type, &values, nullptr,
                            &no_description, &binding, &scope) != MPI_SUCCESS ||
        binding != MPI_T_BIND_NO_OBJECT) {
        return std::nullopt;
    }
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) {
        return std::nullopt;
    }
    const auto text = read(handle, type, count);
    MPI_T_cvar_handle_free(&handle);
    return text;
}

}  // namespace

std::map<std::string, std::string> mpi_settings() {
    std::map<std::string, std::string> settings;
    int provided = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) {
        return settings;
    }
    for (const char* name : names) {
        if (const auto text = setting(name)) {
            settings[name] = *text;
        }
    }
    MPI_T_finalize();
    return settings;
}

}  // namespace quartet::comm
