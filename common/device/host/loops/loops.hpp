#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/memory_way.hpp"

namespace quartet::device {

/// The host's loops over plain memory, compiled once for each instruction set and chosen when the
/// program runs: each function does one thread's share. Pointers are aligned to their elements
/// alone, unless their comment says more.

/// Element-wise loops. Source and target are the same or apart.
struct VectorLoops {
    void (*add_floats)(const float* source, float* target, std::int64_t size);
    void (*add)(const double* source, double* target, std::int64_t size);
    void (*fill_floats)(float value, float* target, std::int64_t size);
    void (*fill)(double value, double* target, std::int64_t size);
    /// Past the caches where the target begins with a cache line.
    void (*copy)(const double* source, double* target, std::int64_t size);
    /// y += factor x, and y = x + factor y.
    void (*axpy)(double factor, const double* x, double* y, std::int64_t size);
    void (*xpay)(const double* x, double factor, double* y, std::int64_t size);
    /// Sums whose order depends on the size and the instruction set alone.
    double (*dot)(const double* x, const double* y, std::int64_t size);
};

/// One pass over memory, for probes of its rate. What a way does not have it does in another.
struct MemoryLoops {
    /// The sum of squares, by 1, 2, 4 or 8 streams, in an order of the way's.
    double (*read)(MemoryWay way, const double* x, std::int64_t size);
    /// As VectorLoops does it, by 1, 2, 4 or 8 streams.
    void (*copy)(int streams, const double* source, double* target, std::int64_t size);
    void (*add_floats)(int streams, const float* source, float* target, std::int64_t size);
    void (*axpy)(int streams, double factor, const double* x, double* y, std::int64_t size);
};

/// Does `steps` steps of multiplications and additions in registers; returns their operations.
using PeakLoop = double (*)(std::int64_t steps);

/// In several forms, the fastest of which differs by processor.
struct PeakLoops {
    static constexpr int forms = 3;
    PeakLoop multiply_add_floats[forms];
    PeakLoop multiply_add[forms];  ///< float64
};

/// All loops of one instruction set.
struct Loops {
    std::string_view isa;  ///< as on the command line: "baseline", "avx2", "avx512", "neon", ...
    const VectorLoops& vectors;
    const MemoryLoops& memory;
    const PeakLoops& peak;
};

/// The instruction sets of this build, the narrowest first: any processor of its kind has that one.
std::span<const Loops* const> compiled_loops();

/// The widest that this processor has. Local.
const Loops& best_loops();

/// Those of a kernel's own loops that the device's processor runs; for a GPU, which runs none of
/// them, the narrowest.
template <typename Table>
const Table& loops_of(std::string_view isa, std::span<const Table* const> compiled) {
    const auto found = std::ranges::find(compiled, isa, &Table::isa);
    return found == compiled.end() ? *compiled.front() : **found;
}

/// "auto", then the names of compiled_loops(), for help and errors.
std::vector<std::string> isa_choices();

/// Those of the instruction set `isa`. Throws UsageError that names the choices unless this build
/// has them, and Unavailable unless this processor has the instructions. Local.
const Loops& loops_for(std::string_view isa);

}  // namespace quartet::device
