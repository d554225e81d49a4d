#pragma once

namespace quartet::comm {

/// The least level of threads (MPI_THREAD_SINGLE, ..) that the MPI library must answer with. Only
/// the main thread calls MPI, beside which there are others.
int least_thread_level();

}  // namespace quartet::comm
