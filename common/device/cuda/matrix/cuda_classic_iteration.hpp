#pragma once

#include <memory>

#include "device/cg_kernels.hpp"
#include "device/cuda/matrix/classic_iteration.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A share in the GPU's memory: launches of a product, of its sums and of the update after it.
/// Products of one share run one after another, whatever their streams.
class CudaMatrixShare : public MatrixShare, private ClassicIteration {
  public:
    void multiply(View<const double> x, View<double> y, Stream& stream) final;
    [[nodiscard]] ClassicIteration* classic_iteration() final { return this; }

  protected:
    /// For x of `columns` elements and y of `rows`.
    CudaMatrixShare(std::int64_t rows, std::int64_t columns, CudaMemory& memory);
    /// What the constructor allocates.
    static Bytes memory();

    virtual void launch_product(const DirectionOnGpu& direction, cudaStream_t stream) = 0;
    /// y, and p.Ap if there is a result.
    virtual void launch_sums(double* y, double* result, cudaStream_t stream) = 0;
    virtual void launch_update(const UpdateOnGpu& update, cudaStream_t stream) = 0;
    /// p.Ap by blocks.
    [[nodiscard]] virtual PartialSums curvature() = 0;

  private:
    void multiply_and_dot(View<const double> x, View<double> y, View<double> result,
                          Stream& stream) override;
    void iterate(const ResidentCg& cg, DirectionOf direction, Stream& stream) override;
    void finish(const ResidentCg& cg, Stream& stream) override;
    void launch(View<const double> x, View<double> y, double* result, Stream& stream);
    [[nodiscard]] DirectionOnGpu next(const ResidentCg& cg);

    std::int64_t rows_;
    std::int64_t columns_;
    Buffer<double> residual_sums_;
    CudaEvent used_;
};

/// As many blocks as the current GPU runs at once.
std::int64_t resident_blocks(std::int64_t of_multiprocessor);
/// Of 64 equal parts of a matrix: how many a third of the current GPU's L2 cache has room for. The
/// rest is left to what passes through, and to the vectors.
int parts_kept_in_l2(Bytes matrix);

}  // namespace quartet::device
