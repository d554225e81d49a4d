#include "fft/formulations.hpp"

namespace quartet::fft {

std::unique_ptr<TransformCase> make_library_case(device::Arena&, bench::Session&, const Problem&,
                                                 const Options&) {
    throw Unavailable(
        "not available in this build: formulation library of fft (no FFTW-MPI was found for the "
        "MPI in use): install one (libfftw3-mpi-dev is Open MPI's) and build again");
}

}  // namespace quartet::fft
