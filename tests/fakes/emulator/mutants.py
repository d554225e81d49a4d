"""Deliberate faults of kernels: (name, file below common/device/cuda, what stands there, what stands
there instead). Each must stand there once. A mended fault, and a new kernel, each add one."""

GEMV = "blas/gemv_kernel.cu"
SUM = "matrix/block_sum.cuh"
LAUNCH_SUM = "matrix/launch_sum.cuh"
VECTORS = "matrix/vector_kernels.cu"
UPDATES = "matrix/cg_update_kernels.cu"
TRIANGLE = "matrix/triangle_kernel.cu"
FFT = "fft/four_step_kernels.cu"

# What of a header's kernels is compiled to show its faults.
UNIT = {SUM: GEMV, LAUNCH_SUM: VECTORS}

MUTANTS = [
    ("no barrier before the next sum's warps write", SUM,
     "    __syncthreads();  // an earlier sum may still be read\n", ""),
    ("no barrier before the sums of warps are read", SUM,
     "    __syncthreads();\n    if (thread >= warp)", "    if (thread >= warp)"),
    ("half of a warp shuffles", SUM, "if (thread >= warp)", "if (thread >= warp / 2)"),
    ("the last warp's sum is left out", SUM,
     "thread < warps ? of_warps", "thread < warps - 1 ? of_warps"),
    ("a shuffle too few", SUM, "offset = warps / 2", "offset = warps / 4"),

    ("gemv reads a row too many", GEMV,
     "(row < matrix.rows ? row : matrix.rows - 1)", "row"),
    ("gemv writes a row too many", GEMV, " && first_row + i < matrix.rows", ""),
    ("gemv reads a pair too many", GEMV,
     "column + 1 < matrix.columns;", "column < matrix.columns;"),
    ("gemv leaves out the last column", GEMV, "    if (column < matrix.columns)\n",
     "    if (column < matrix.columns - 1)\n"),
    ("pairs of rows that are not aligned", GEMV, " && matrix.stride % 2 == 0", ""),

    ("a sum's lanes beyond its end", LAUNCH_SUM,
     "        if (first + lane * grid.threads() < grid.size)\n", ""),
    ("a sum leaves out its last element", LAUNCH_SUM,
     "        if (first + lane * grid.threads() < grid.size)",
     "        if (first + lane * grid.threads() < grid.size - 1)"),
    ("the second stage reads a partial sum too many", LAUNCH_SUM,
     "i < count; i += block_threads", "i <= count; i += block_threads"),

    ("packs of memory that is not aligned", VECTORS, "% 16 == 0;", "% 8 == 0;"),
    ("packs beyond the end", VECTORS, "i < packs; i", "i <= packs; i"),
    ("the last elements are left out", VECTORS,
     "i = packs * Pack<T>::width + grid_thread(); i < size",
     "i = packs * Pack<T>::width + grid_thread(); i < size - 1"),
    ("single elements beyond the end", VECTORS,
     "    for (std::int64_t i = grid_thread(); i < size; i += grid_threads())\n"
     "        target[i] = operation",
     "    for (std::int64_t i = grid_thread(); i <= size; i += grid_threads())\n"
     "        target[i] = operation"),
    ("fill goes through its grid once", VECTORS,
     "i < size; i += grid_threads())\n        target[i] = value;",
     "i < size; i += size)\n        target[i] = value;"),
    ("an empty vector is launched", VECTORS,
     "    if (size == 0)\n        return;\n    fill<<<grid_size(blocks_for(size, 1))",
     "    fill<<<grid_size(size)"),

    ("the classic update uses the old residual", UPDATES,
     "        vectors.residual[i] = rest;\n        return rest * rest;\n    }\n};\n\nstruct",
     "        return rest * rest;\n    }\n};\n\nstruct"),
    ("the single reduction's direction is not kept", UPDATES,
     "        vectors.direction[i] = direction;\n", ""),
    ("alpha is updated in place of beta", UPDATES,
     "    update_beta(*scalars, history);", "    update_alpha(*scalars);"),
    ("beta is updated in place of alpha", UPDATES,
     "__global__ void update_alpha_kernel(CgScalars* scalars) {\n    update_alpha(*scalars);",
     "__global__ void update_alpha_kernel(CgScalars* scalars) {\n    scalars->alpha += 1;"),
    ("both are updated twice", UPDATES, "    update_alpha_beta(*scalars, history);",
     "    update_alpha_beta(*scalars, history);\n    update_alpha_beta(*scalars, history);"),

    ("no barrier after the factors are written", TRIANGLE,
     "    __syncthreads();\n    Columns columns", "    Columns columns"),
    ("no barrier before the rows are summed", TRIANGLE,
     "    __syncthreads();\n    double* out", "    double* out"),
    ("the rows' sums are an array too short", TRIANGLE,
     "row_sums[warps][tile_rows]", "row_sums[warps - 1][tile_rows]"),
    ("the block on the diagonal counts twice", TRIANGLE,
     "place >= triangle_panel_rows", "place >= 0"),
    ("add_tiles reads a tile row too many", TRIANGLE,
     "tile_row < triangle.tile_row_count; ++tile_row",
     "tile_row <= triangle.tile_row_count; ++tile_row"),
    ("add_tiles writes beyond the vector", TRIANGLE, "    if (i >= triangle.size)",
     "    if (i > triangle.size)"),

    ("no barrier in transpose", FFT, "    __syncthreads();\n", ""),
    ("transpose's square is a row too short", FFT,
     "square[transpose_edge][transpose_edge + 1]", "square[transpose_edge - 1][transpose_edge + 1]"),
    ("transpose writes whole squares", FFT,
     "        if (row < shape.rows && column < shape.columns)\n            target", "        target"),
    ("pack counts bins from the first", FFT, "shape.first_bin + bin;", "bin;"),
    ("pack goes beyond its last point", FFT,
     "count = shape.tiles * shape.bins;\n    for", "count = shape.tiles * shape.bins + 1;\n    for"),
    ("unpack writes bins that nobody asked for", FFT,
     "        if (bin >= shape.bins)\n            continue;\n", ""),
    ("natural order goes a point too far", FFT, "i < shape.count; i", "i <= shape.count; i"),
    ("twiddles of a run's second step are those of its first", FFT,
     "twiddle(twiddles, tile * first)", "twiddle(twiddles, tile * begin)"),
    ("a tile is scattered to its neighbour", FFT,
     "offset_in_part(bin, shape.tile, shape.tiles)",
     "offset_in_part(bin, shape.tile - 1, shape.tiles)"),
]
