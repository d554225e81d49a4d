#include "cg/matrix.hpp"

namespace quartet::cg {

// There is no GPU in this build: nobody can call these.

std::unique_ptr<MatrixShare> make_cuda_matrix(device::Arena& /*arena*/,
                                              const MatrixPart& /*part*/) {
    return nullptr;
}
void cuda_update(double /*alpha*/, const ClassicVectors& /*vectors*/,
                 device::View<double> /*result*/, device::Stream& /*stream*/) {}

}  // namespace quartet::cg
