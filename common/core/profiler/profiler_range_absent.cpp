#include "core/profiler/profiler_range.hpp"

namespace quartet {

ProfilerRange::ProfilerRange(const char* /*label*/) {}

ProfilerRange::~ProfilerRange() = default;

}  // namespace quartet
