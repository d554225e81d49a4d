#pragma once

#include <map>
#include <string>

namespace quartet::comm {

/// The settings of the MPI library that bear on how it moves data and waits, with their values as
/// they are in force, by its tools interface (MPI_T control variables). Those that the library
/// does not know are left out. Local.
std::map<std::string, std::string> mpi_settings();

}  // namespace quartet::comm
