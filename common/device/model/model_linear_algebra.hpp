#pragma once

#include <memory>

#include "device/blas.hpp"
#include "device/cg_kernels.hpp"
#include "device/matrix_factory.hpp"
#include "device/model/model_work.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

/// Operations that take the time of their operations or their traffic and leave their targets as
/// they are; `work` outlives them. Dots give 1 on each rank, so that conjugate gradients go on, and
/// the scalars of an iteration are computed. Shares of matrices have no elements.
std::unique_ptr<Blas> make_model_blas(const ModelWork& work);
std::unique_ptr<VectorOperations> make_model_vector_operations(const ModelWork& work);
std::unique_ptr<CgKernels> make_model_cg_kernels(const ModelWork& work);
std::unique_ptr<MatrixFactory> make_model_matrix_factory(const ModelWork& work);

}  // namespace quartet::device
