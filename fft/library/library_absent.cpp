#include "fft/library/library_case.hpp"
#include "fft/library/library_wisdom.hpp"

namespace quartet::fft {

std::unique_ptr<TransformCase> make_library_case(bench::Session&, const Problem&, const Options&) {
    throw Unavailable(
        "not available in this build: formulation library of fft (no FFTW-MPI was found for the "
        "MPI "
        "in use): install one (libfftw3-mpi-dev is Open MPI's) and build again");
}

bench::Arena library_memory(bench::Session&, const Problem&, const Options&) {
    return {};
}

void read_wisdom(const comm::Communicator&, const std::filesystem::path&) {}

void write_wisdom(const comm::Communicator&, const std::filesystem::path&) {}

}  // namespace quartet::fft
