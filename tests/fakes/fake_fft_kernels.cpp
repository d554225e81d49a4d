#include "device/cuda/fft/four_step_kernels.hpp"
#include "fakes/fake_cuda_runtime.hpp"
#include "fakes/fake_gpu_memory.hpp"

/// The kernels of split transforms as loops over the same index functions.
namespace quartet::device {

namespace {

double2 product(double2 a, double2 b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

double2 root(const RootTables& roots, std::int64_t exponent) {
    return product(roots.coarse[roots.split.coarse(exponent)],
                   roots.fine[roots.split.fine(exponent)]);
}

RootTables on_cpu_tables(const RootTables& roots) {
    return {on_cpu(roots.coarse), on_cpu(roots.fine), roots.split};
}

void store(double* part, std::int64_t place, double2 value) {
    part[place] = value.x;
    part[place + fft_cell_bins] = value.y;
}

}  // namespace

void launch_pack(const PackShape& shape, const RootTables& on_gpu, const double2* transformed,
                 double* part, cudaStream_t stream) {
    const RootTables roots = on_cpu_tables(on_gpu);
    transformed = on_cpu(transformed);
    part = on_cpu(part);
    fakes(stream).enqueue(Phase::compute, "pack", [=] {
        for (std::int64_t tile = 0; tile < shape.tiles; ++tile)
            for (std::int64_t bin = 0; bin < shape.bins; ++bin) {
                const std::int64_t k1 = shape.first_bin + bin;
                store(part, place_in_part(bin, shape.place + tile, shape.part_tiles),
                      product(transformed[tile * shape.length + k1],
                              root(roots, (shape.first_tile + tile) * k1)));
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
                const std::int64_t place =
                    place_in_part(shape.first_bin + bin, tile, shape.part_tiles);
                columns[bin * shape.tiles + shape.first_tile + tile] = {
                    part[place], part[place + fft_cell_bins]};
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

void launch_natural(const NaturalShape& shape, const double2* part, double2* bins,
                    cudaStream_t stream) {
    part = on_cpu(part);
    bins = on_cpu(bins);
    fakes(stream).enqueue(Phase::merge, "natural", [=] {
        for (std::int64_t i = 0; i < shape.count; ++i)
            bins[shape.columns.bin(shape.before + i) - shape.first_bin] = part[i];
    });
}

void launch_factors(const FactorShape& shape, const RootTables& on_gpu, double2* bins,
                    cudaStream_t stream) {
    const RootTables roots = on_cpu_tables(on_gpu);
    bins = on_cpu(bins);
    fakes(stream).enqueue(Phase::compute, "factors", [=] {
        for (std::int64_t tile = 0; tile < shape.tiles; ++tile)
            for (std::int64_t bin = 0; bin < shape.length; ++bin) {
                double2& value = bins[tile * shape.length + bin];
                value = product(value, root(roots, tile * bin));
            }
    });
}

void launch_place(const PlaceShape& shape, const RootTables& on_gpu, const double* cells,
                  double* parts, cudaStream_t stream) {
    const RootTables roots = on_cpu_tables(on_gpu);
    cells = on_cpu(cells);
    parts = on_cpu(parts);
    fakes(stream).enqueue(Phase::merge, "place", [=] {
        for (std::int64_t bin = 0; bin < shape.length; ++bin) {
            const std::int64_t from = place_in_part(bin, 0, 1);
            store(
                parts, place_in_part(bin, shape.tile, shape.tiles),
                product({cells[from], cells[from + fft_cell_bins]}, root(roots, shape.tile * bin)));
        }
    });
}

}  // namespace quartet::device
