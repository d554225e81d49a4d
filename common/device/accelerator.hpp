#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.hpp"
#include "core/units.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The counters of one GPU since the driver was loaded: take differences. Unknown counters are
/// empty. The driver counts in steps of up to a tenth of a second.
struct GpuCounters {
    std::optional<double> energy_joules;
    std::optional<Seconds> power_capped;      ///< time with lower clocks: at the power limit
    std::optional<Seconds> thermally_slowed;  ///< time with lower clocks: too hot
    std::optional<Seconds> power_braked;      ///< time with lower clocks: asked by the power supply
};

/// The facts that the driver tells about one GPU at one time, for the record. Facts that it does
/// not tell are empty.
struct GpuFacts {
    std::string why_empty;  ///< why the driver tells nothing; empty if it does
    std::string name;
    std::string uuid;
    std::string driver;  ///< its version
    std::string pci_bus;
    std::optional<Bytes> memory;
    std::optional<int> clock_mhz;  ///< of the multiprocessors, now
    std::optional<int> most_clock_mhz;
    /// Why the clocks are lower than they could be, now.
    std::optional<std::vector<std::string>> throttled_by;
    std::optional<bool> error_correction;  ///< ECC memory
    std::optional<bool> partitioned;       ///< MIG
    std::optional<double> power_limit_watts;
    GpuCounters counters;
};

/// A handle, in the vendor's format, by which another process of the node maps an accelerator's
/// memory.
using MemoryHandle = std::string;

/// Enqueues work on a stream by the vendor's own programming interface, given its handle of the
/// stream (cudaStream_t).
using NativeWork = std::function<void(void* stream)>;

/// The abilities of an accelerator beyond the contract of all devices: facts for the record, memory
/// that processes share, and streams for libraries of its vendor. Used by the main thread only.
class Accelerator {
  public:
    virtual ~Accelerator() = default;

    /// Accelerators of this kind that this process sees, at least one.
    [[nodiscard]] virtual int visible() const = 0;
    /// The current facts, for the record. Where only a part of a GPU is ours (MIG), name, UUID and
    /// memory are those of the part.
    [[nodiscard]] virtual GpuFacts facts() const = 0;
    /// The current counters. Not for timed steps: it calls the driver.
    [[nodiscard]] virtual GpuCounters counters() const = 0;
    /// Memory of the accelerator that no process uses.
    [[nodiscard]] virtual Bytes free_memory() const = 0;
    /// Model, architecture, memory and versions in one line, for the record.
    [[nodiscard]] virtual std::string description() const = 0;

    /// Whether this accelerator can map memory of the accelerator at a PCI address of the same node
    /// (peer access); nothing if this process does not see that accelerator.
    [[nodiscard]] virtual std::optional<bool> reaches(const std::string& pci_bus) const = 0;

    /// Handles export whole blocks of this size. The size of an exported allocation should be a
    /// multiple: otherwise other allocations in the same block are exported, too.
    [[nodiscard]] virtual Bytes exported_block() const = 0;
    /// The handle of a whole allocation of this device. Throws Failure if the system has none.
    [[nodiscard]] virtual MemoryHandle export_memory(const Allocation& allocation) = 0;
    /// Maps `size` bytes of another process's memory. Release them before that process does. Throws
    /// Failure if they cannot be mapped; a process cannot map its own memory.
    virtual Allocation import_memory(const MemoryHandle& handle, Bytes size) = 0;

    /// Page-locks ordinary memory of the CPU until the result is released: copies then run at full
    /// speed and beside other work. Throws Failure if the system refuses.
    virtual Allocation lock_pages(const View<std::byte>& memory) = 0;

    /// Calls `work` now; what it enqueues on `stream` is an operation of this phase and label (a
    /// string literal). Pass std::ref of a lambda, so that nothing allocates.
    virtual void launch(Stream& stream, Phase phase, const char* label, const NativeWork& work) = 0;
};

}  // namespace quartet::device
