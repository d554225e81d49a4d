#include "fft/library_case.hpp"

namespace quartet::fft {

std::unique_ptr<TransformCase> make_library_case(bench::Session&, const Problem&, Planning) {
    throw Unavailable(
        "not available in this build: formulation library of fft (FFTW-MPI was not found): install "
        "libfftw3-mpi-dev and build again");
}

Bytes library_memory(const Problem&, bench::Session&) {
    return {};
}

}  // namespace quartet::fft
