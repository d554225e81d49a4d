#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace quartet::matmul {

/// {N, B} of the matrices that a user's files "A_i_j.npy" and "B_i_j.npy" are: square tiles of
/// float32, B x B, as many of A as of B; those of the last row and column may be smaller. Empty
/// if there are no such files. Throws UsageError or NpyError that names what is missing or does
/// not fit. Local.
std::vector<std::int64_t> read_own_tiles(const std::filesystem::path& folder);

/// Throws UsageError if there are files "C_i_j.npy": a run that keeps no results would remove
/// them. Local.
void require_no_results(const std::filesystem::path& folder);

}  // namespace quartet::matmul
