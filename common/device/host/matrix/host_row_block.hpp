#pragma once

#include <memory>

#include "device/device.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A row block in the host's panels (matrix_layout.hpp), each thread with a run of them. Memory
/// comes from `device`.
std::unique_ptr<MatrixShare> make_host_row_block(const RowBlock& block, int threads,
                                                 Device& device);
Bytes host_row_block_memory(const RowBlock& block);

}  // namespace quartet::device
