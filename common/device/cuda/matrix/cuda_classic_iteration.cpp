#include "device/cuda/matrix/cuda_classic_iteration.hpp"

#include <algorithm>

#include "device/cuda/matrix/rows_kernel.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

void require_vectors(const ResidentCg& cg, std::int64_t size) {
    for (const View<double>& vector : {cg.direction, cg.solution, cg.residual})
        require_device(vector, size, "iterate: vectors differ in size from the matrix");
    require_device(cg.scalars, 1, "iterate: scalars are one struct");
    require_device(cg.history);
}

}  // namespace

CudaMatrixShare::CudaMatrixShare(std::int64_t rows, std::int64_t columns, CudaMemory& memory)
    : rows_(rows),
      columns_(columns),
      residual_sums_(memory.allocate(CudaMatrixShare::memory(), MemoryKind::device),
                     most_sum_blocks) {}

Bytes CudaMatrixShare::memory() {
    return bytes_of<double>(most_sum_blocks);
}

void CudaMatrixShare::launch(View<const double> x, View<double> y, double* result, Stream& stream) {
    require_device(x, columns_, "multiply: x does not have as many elements as A columns");
    require_device(y, rows_, "multiply: y does not have as many elements as the share rows");
    require_apart(x, y);
    if (y.empty())
        return;
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "product", [&](cudaStream_t handle) {
        launch_product({x.data(), x.data(), {}, nullptr, nullptr}, handle);
        launch_sums(y.data(), result, handle);
    });
    stream.record(used_);
}

void CudaMatrixShare::multiply(View<const double> x, View<double> y, Stream& stream) {
    launch(x, y, nullptr, stream);
}

void CudaMatrixShare::multiply_and_dot(View<const double> x, View<double> y, View<double> result,
                                       Stream& stream) {
    require_reachable(result, 1, "multiply: the result must have one element");
    launch(x, y, result.data(), stream);
}

DirectionOnGpu CudaMatrixShare::next(const ResidentCg& cg) {
    return {cg.direction.data(),
            cg.residual.data(),
            {residual_sums_.view().data(), update_blocks(rows_)},
            cg.scalars.data(),
            cg.history.data()};
}

void CudaMatrixShare::iterate(const ResidentCg& cg, DirectionOf direction, Stream& stream) {
    require_vectors(cg, rows_);
    DirectionOnGpu multiplied = next(cg);
    if (direction == DirectionOf::state)
        multiplied.scalars = nullptr;
    const UpdateOnGpu update{
        rows_,
        cg.direction.data(),
        cg.solution.data(),
        cg.residual.data(),
        residual_sums_.view().data(),
        {},
        curvature(),
        cg.scalars.data(),
        direction == DirectionOf::state ? UpdatedDirection::as_it_is : UpdatedDirection::next};
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "iteration", [&](cudaStream_t handle) {
        launch_product(multiplied, handle);
        launch_update(update, handle);
    });
    stream.record(used_);
}

void CudaMatrixShare::finish(const ResidentCg& cg, Stream& stream) {
    require_vectors(cg, rows_);
    as_cuda(stream).launch(Phase::compute, "next direction", [&](cudaStream_t handle) {
        launch_last_direction(next(cg), cg.direction.data(), rows_, handle);
    });
}

std::int64_t resident_blocks(std::int64_t of_multiprocessor) {
    return of_multiprocessor * gpu_attribute(cudaDevAttrMultiProcessorCount);
}

int parts_kept_in_l2(Bytes matrix) {
    const std::int64_t room = gpu_attribute(cudaDevAttrL2CacheSize) / 3;
    return static_cast<int>(
        std::min<std::int64_t>(64, 64 * room / std::max<std::int64_t>(matrix.value, 1)));
}

}  // namespace quartet::device
