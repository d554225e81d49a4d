#pragma once

#include <cstdint>

namespace quartet {

/// A stretch of the program that a profiler shows under its label: an NVTX range (Nsight Systems)
/// if the suite was built with CUDA, otherwise nothing. Without a profiler it costs a few
/// nanoseconds. Ranges of a thread may overlap in any way.
class ProfilerRange {
  public:
    /// `label` is read at once.
    explicit ProfilerRange(const char* label);
    ~ProfilerRange();  // NOLINT(performance-trivially-destructible): ends the range with CUDA
    ProfilerRange(const ProfilerRange&) = delete;
    ProfilerRange& operator=(const ProfilerRange&) = delete;

  private:
    [[maybe_unused]] std::uint64_t id_ = 0;
};

}  // namespace quartet
