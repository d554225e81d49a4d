#include "device/cuda/fft/four_step_kernels.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

/// The kernels of the four-step FFT as loops over the same index functions.
namespace quartet::device {

namespace {

double2 product(double2 a, double2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

double2 twiddle(const Twiddles& twiddles, std::int64_t exponent) {
    return product(twiddles.coarse[twiddles.split.coarse(exponent)],
                   twiddles.fine[twiddles.split.fine(exponent)]);
}

Twiddles on_cpu_tables(const Twiddles& twiddles) {
    return {on_cpu(twiddles.coarse), on_cpu(twiddles.fine), twiddles.split};
}

void store(double* part, std::int64_t offset, double2 value) {
    part[offset] = value.x;
    part[offset + fft_block_bins] = value.y;
}

}  // namespace

void launch_pack(const PackShape& shape, const Twiddles& on_gpu, const double2* transformed,
                 double* part, cudaStream_t stream) {
    const Twiddles twiddles = on_cpu_tables(on_gpu);
    transformed = on_cpu(transformed);
    part = on_cpu(part);
    fakes(stream).enqueue(Phase::compute, "pack", [=] {
        for (std::int64_t tile = 0; tile < shape.tiles; ++tile)
            for (std::int64_t bin = 0; bin < shape.bins; ++bin) {
                const std::int64_t k1 = shape.first_bin + bin;
                store(part, offset_in_part(bin, shape.first_slot + tile, shape.part_tiles),
                      product(transformed[tile * shape.length + k1],
                              twiddle(twiddles, (shape.first_tile + tile) * k1)));
            }
    });
}

void launch_unpack(const UnpackShape& shape, const double* part, double2* columns,
                   cudaStream_t stream) {
    part = on_cpu(part);
    columns = on_cpu(columns);
    fakes(stream).enqueue(Phase::merge, "unpack", [=] {
        for (std::int64_t bin = 0; bin < shape.bins; ++bin)
            for (std::int64_t tile = 0; tile < shape.part_tiles; ++tile) {
                const std::int64_t offset =
                    offset_in_part(shape.first_bin + bin, tile, shape.part_tiles);
                columns[bin * shape.tiles + shape.first_tile + tile] = {
                    part[offset], part[offset + fft_block_bins]};
            }
    });
}

void launch_transpose(const TransposeShape& shape, const double2* source, double2* target,
                      cudaStream_t stream) {
    source = on_cpu(source);
    target = on_cpu(target);
    fakes(stream).enqueue(Phase::merge, "transpose", [=] {
        for (std::int64_t row = 0; row < shape.rows; ++row)
            for (std::int64_t column = 0; column < shape.columns; ++column)
                target[row * shape.stride + shape.first_column + column] =
                    source[column * shape.rows + row];
    });
}

void launch_natural_order(const NaturalOrderShape& shape, const double2* part, double2* bins,
                          cudaStream_t stream) {
    part = on_cpu(part);
    bins = on_cpu(bins);
    fakes(stream).enqueue(Phase::merge, "natural", [=] {
        for (std::int64_t i = 0; i < shape.count; ++i)
            bins[shape.columns.bin(shape.before + i) - shape.first_bin] = part[i];
    });
}

void launch_twiddles(const TwiddleShape& shape, const Twiddles& on_gpu, double2* bins,
                     cudaStream_t stream) {
    const Twiddles twiddles = on_cpu_tables(on_gpu);
    bins = on_cpu(bins);
    fakes(stream).enqueue(Phase::compute, "factors", [=] {
        for (std::int64_t tile = 0; tile < shape.tiles; ++tile)
            for (std::int64_t bin = 0; bin < shape.length; ++bin) {
                double2& value = bins[tile * shape.length + bin];
                value = product(value, twiddle(twiddles, tile * bin));
            }
    });
}

void launch_scatter_tile(const ScatterTileShape& shape, const Twiddles& on_gpu,
                         const double* blocks, double* parts, cudaStream_t stream) {
    const Twiddles twiddles = on_cpu_tables(on_gpu);
    blocks = on_cpu(blocks);
    parts = on_cpu(parts);
    fakes(stream).enqueue(Phase::merge, "place", [=] {
        for (std::int64_t bin = 0; bin < shape.length; ++bin) {
            const std::int64_t from = offset_in_part(bin, 0, 1);
            store(parts, offset_in_part(bin, shape.tile, shape.tiles),
                  product({blocks[from], blocks[from + fft_block_bins]},
                          twiddle(twiddles, shape.tile * bin)));
        }
    });
}

}  // namespace quartet::device
