#pragma once

#include <string>

namespace quartet::device {

/// How a loop goes through memory: the fastest way differs between processors. What it computes
/// from a matrix does not depend on it.
struct MemoryWay {
    int streams = 1;        ///< places of the memory that are read in turn, a cache line each
    bool prefetch = false;  ///< by instructions, beside what the processor does itself

    bool operator==(const MemoryWay&) const = default;
};

/// "1 stream", "4 streams with prefetch".
inline std::string to_string(MemoryWay way) {
    return std::to_string(way.streams) + (way.streams == 1 ? " stream" : " streams") +
           (way.prefetch ? " with prefetch" : "");
}

}  // namespace quartet::device
