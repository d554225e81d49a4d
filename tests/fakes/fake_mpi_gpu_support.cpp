// A CUDA-aware MPI, by MPI's profiling interface (MPI-3.1, 14.2): the messages of the transport mpi
// may lie in memory of the fake GPU. Nothing else may: MPI's collectives would die there.

#include <mpi.h>

#include "comm/mpi/mpi_session.hpp"
#include "fakes/fake_gpu_memory.hpp"

namespace {

/// Where the bytes of a message are.
template <typename Pointer>
Pointer reachable(Pointer data) {
    const auto& memory = quartet::device::FakeGpuMemory::of_process();
    return memory.is_on_gpu(data) ? memory.on_cpu(data) : data;
}

}  // namespace

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return PMPI_Send(reachable(data), count, type, to, tag, comm);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
    return PMPI_Recv(reachable(data), count, type, from, tag, comm, status);
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    return PMPI_Isend(reachable(data), count, type, to, tag, comm, request);
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
    return PMPI_Irecv(reachable(data), count, type, from, tag, comm, request);
}

namespace quartet::comm {

std::optional<std::string> why_mpi_reaches_no_gpu() {
    return std::nullopt;
}

}  // namespace quartet::comm
