#pragma once

#include <filesystem>

#include "comm/mpi/communicator.hpp"

namespace quartet::fft {

/// Gives FFTW, on all ranks, what an earlier job has measured (its "wisdom") and left in a file;
/// nothing if there is no such file yet. It serves the same problems on as many ranks, with the
/// same FFTW on the same kind of machine. Collective; rank 0 reads. Throws UsageError if it is
/// no wisdom of this FFTW, and if nothing could be left there. Without FFTW-MPI it does nothing.
void read_wisdom(const comm::Communicator& comm, const std::filesystem::path& file);

/// Leaves there what FFTW knows by now on any rank, whole or not at all. Collective; rank 0 writes.
/// Throws Failure.
void write_wisdom(const comm::Communicator& comm, const std::filesystem::path& file);

}  // namespace quartet::fft
