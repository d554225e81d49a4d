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
/// program runs: each function does one thread's share. Pointers need only the alignment of their
/// elements, unless a comment says more.

/// Element-wise loops. Source and target are the same memory, or do not overlap.
struct VectorLoops {
    void (*add_floats)(const float* source, float* target, std::int64_t size);
    void (*add)(const double* source, double* target, std::int64_t size);
    void (*fill_floats)(float value, float* target, std::int64_t size);
    void (*fill)(double value, double* target, std::int64_t size);
    /// Writes past the caches if the target begins with a cache line.
    void (*copy)(const double* source, double* target, std::int64_t size);
    /// y += factor x, and y = x + factor y.
    void (*axpy)(double factor, const double* x, double* y, std::int64_t size);
    void (*xpay)(const double* x, double factor, double* y, std::int64_t size);
    /// Sums whose order depends on the size and the instruction set alone.
    double (*dot)(const double* x, const double* y, std::int64_t size);
};

/// One pass over memory, for probes of its rate. A loop that lacks a way uses another one.
struct MemoryLoops {
    /// The sum of squares, by 1, 2, 4 or 8 streams, in an order that depends on the way.
    double (*read)(MemoryWay way, const double* x, std::int64_t size);
    /// As in VectorLoops, by 1, 2, 4 or 8 streams.
    void (*copy)(int streams, const double* source, double* target, std::int64_t size);
    void (*add_floats)(int streams, const float* source, float* target, std::int64_t size);
    void (*axpy)(int streams, double factor, const double* x, double* y, std::int64_t size);
};

/// Does `steps` steps of multiplications and additions in registers; returns their operations.
using PeakLoop = double (*)(std::int64_t steps);

/// Several forms of each loop; which one is fastest depends on the processor.
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

/// The loops of this build's instruction sets, the narrowest first: every processor can run those.
std::span<const Loops* const> compiled_loops();

/// Whether this processor, and the system on it, can run the instruction set `isa`. Local.
bool processor_has(std::string_view isa);

/// The loops of the widest instruction set that this processor has. Local.
const Loops& best_loops();

/// A kernel's own loops of the instruction set `isa` (Device::isa()). A GPU has none, and gets the
/// narrowest, which it does not run.
template <typename Table>
const Table& loops_of(std::string_view isa, std::span<const Table* const> compiled) {
    const auto found = std::ranges::find(compiled, isa, &Table::isa);
    return found == compiled.end() ? *compiled.front() : **found;
}

/// "auto", then the names of compiled_loops(), for help and errors.
std::vector<std::string> isa_choices();

/// The loops of the instruction set `isa`. Throws UsageError that names the choices unless this
/// build has them, and Unavailable unless this processor has the instructions. Local.
const Loops& loops_for(std::string_view isa);

}  // namespace quartet::device
