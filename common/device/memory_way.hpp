#pragma once

#include <string>

namespace quartet::device {

/// What a pass over memory does with each element.
enum class AccessPattern {
    read,    ///< s += x[i] x[i], double: 8 bytes an element
    copy,    ///< y[i] = x[i], double: 16 bytes; past the caches if the processor can
    add,     ///< y[i] += x[i], float: 12 bytes
    update,  ///< y[i] += x[i] / 2, double: 24 bytes
};

/// What a loop does to have a cache line in time.
enum class Fetch {
    once,   ///< loads it; the processor fetches ahead by itself
    ahead,  ///< prefetches one that it loads later
    twice,  ///< loads from it twice: Zen 4 then fetches more by itself
};

/// How a loop goes through memory: the fastest way differs between processors. What it computes
/// from a matrix does not depend on it.
struct MemoryWay {
    int streams = 1;  ///< places of the memory that are read in turn, a cache line each
    Fetch fetch = Fetch::once;

    bool operator==(const MemoryWay&) const = default;
};

/// "1 stream", "4 streams with prefetch", "4 streams, lines loaded twice".
inline std::string to_string(MemoryWay way) {
    return std::to_string(way.streams) + (way.streams == 1 ? " stream" : " streams") +
           (way.fetch == Fetch::ahead   ? " with prefetch"
            : way.fetch == Fetch::twice ? ", lines loaded twice"
                                        : "");
}

}  // namespace quartet::device
