#include <nvtx3/nvToolsExt.h>

#include "core/profiler/profiler_range.hpp"

namespace quartet {

namespace {

// At its first range NVTX writes the table of functions that other threads' ranges read meanwhile:
// so it does that before there are threads.
[[maybe_unused]] const bool has_table = (nvtxInitialize(nullptr), true);

}  // namespace

ProfilerRange::ProfilerRange(const char* label) : id_(nvtxRangeStartA(label)) {}

ProfilerRange::~ProfilerRange() {
    nvtxRangeEnd(id_);
}

}  // namespace quartet
