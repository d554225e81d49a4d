#pragma once

#include <map>
#include <string>

namespace quartet::comm {

/// The settings of the MPI library that affect how it moves data and waits, with their present
/// values, from its tools interface (MPI_T control variables). Leaves out settings that the library
/// does not know. Local.
std::map<std::string, std::string> mpi_settings();

}  // namespace quartet::comm
