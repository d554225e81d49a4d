#include <nvtx3/nvToolsExt.h>

#include "core/profiler/profiler_range.hpp"

namespace quartet {

ProfilerRange::ProfilerRange(const char* label) : id_(nvtxRangeStartA(label)) {}

ProfilerRange::~ProfilerRange() {
    nvtxRangeEnd(id_);
}

}  // namespace quartet
