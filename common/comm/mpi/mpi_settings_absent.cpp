#include "comm/mpi/mpi_settings.hpp"

namespace quartet::comm {

std::map<std::string, std::string> mpi_settings() {
    return {};
}

}  // namespace quartet::comm
