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

/// How a loop brings a cache line from memory in time.
enum class Fetch {
    once,   ///< loads the line; the processor prefetches by itself
    ahead,  ///< prefetches a line that it loads later
    twice,  ///< loads from the line twice: Zen 4 then prefetches more by itself
};

/// How a loop passes over memory: the fastest way differs between processors. The result of a
/// product with a matrix does not depend on the way.
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
