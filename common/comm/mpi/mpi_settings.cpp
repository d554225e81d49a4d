#include "comm/mpi/mpi_settings.hpp"

#include <mpi.h>

#include <array>
#include <optional>
#include <vector>

namespace quartet::comm {

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

template <typename Value>
std::optional<std::string> read_number(MPI_T_cvar_handle handle) {
    Value value{};
    return MPI_T_cvar_read(handle, &value) == MPI_SUCCESS ? std::optional(std::to_string(value))
                                                          : std::nullopt;
}

std::optional<std::string> read_text(MPI_T_cvar_handle handle, int count) {
    std::vector<char> text(static_cast<std::size_t>(count) + 1);
    return MPI_T_cvar_read(handle, text.data()) == MPI_SUCCESS ? std::optional(text.data())
                                                               : std::nullopt;
}

std::optional<std::string> read(MPI_T_cvar_handle handle, MPI_Datatype type, int count) {
    if (type == MPI_CHAR) {
        return read_text(handle, count);
    }
    if (count != 1) {
        return std::nullopt;
    }
    return type == MPI_INT                  ? read_number<int>(handle)
           : type == MPI_UNSIGNED           ? read_number<unsigned>(handle)
           : type == MPI_UNSIGNED_LONG      ? read_number<unsigned long>(handle)
           : type == MPI_UNSIGNED_LONG_LONG ? read_number<unsigned long long>(handle)
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
