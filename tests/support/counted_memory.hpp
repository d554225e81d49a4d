#pragma once

#include <cstdint>

namespace quartet::device {

/// How often the program has called operator new so far, aligned memory left out.
long allocations();

/// Bytes of aligned memory that the program holds: the host device's buffers below one huge page.
std::int64_t buffer_bytes();
/// The most since the last call of restart_buffer_peak().
std::int64_t buffer_bytes_peak();
void restart_buffer_peak();

}  // namespace quartet::device
