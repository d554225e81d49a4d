#pragma once

#include <memory>
#include <string>

#include "device/accelerator.hpp"

namespace quartet::device {

/// The functions of NVIDIA's management library that we use, in our own declarations: its header
/// comes with only some toolkits, and its binary interface is stable. All return 0 for success.
/// Functions that the library lacks are null: some are new, and others end with CUDA 14.
struct Nvml {
    using Device = struct Opaque*;
    /// nvmlFieldValue_t. `type` says which member of `value` holds it.
    struct FieldValue {
        unsigned field = 0;
        unsigned scope = 0;
        long long timestamp = 0;
        long long latency = 0;
        int type = 0;
        int status = 0;
        union {
            double real;
            unsigned narrow;
            unsigned long long wide = 0;
        } value;
    };
    static constexpr int multiprocessor_clock = 1;
    /// Fields that count the nanoseconds for which clocks were held down, and the types that they
    /// can have (nvml.h, NVML_FI_DEV_CLOCKS_EVENT_REASON_*, nvmlValueType_t).
    static constexpr unsigned power_cap_field = 74;
    static constexpr unsigned thermal_slowdown_field = 269;
    static constexpr unsigned hardware_thermal_slowdown_field = 270;
    static constexpr unsigned power_brake_field = 271;
    static constexpr int unsigned_type = 1;
    static constexpr int unsigned_long_type = 2;
    static constexpr int unsigned_long_long_type = 3;
    static constexpr int long_long_type = 4;

    int (*initialise)() = nullptr;
    int (*shut_down)() = nullptr;
    int (*handle_by_pci_bus)(const char* bus, Device*) = nullptr;
    int (*driver_version)(char* text, unsigned length) = nullptr;
    int (*clock)(Device, int kind, unsigned* megahertz) = nullptr;
    int (*most_clock)(Device, int kind, unsigned* megahertz) = nullptr;
    int (*event_reasons)(Device, unsigned long long* mask) = nullptr;
    int (*throttle_reasons)(Device, unsigned long long* mask) = nullptr;  ///< its older name
    int (*partitioning)(Device, unsigned* current, unsigned* pending) = nullptr;
    int (*power_limit)(Device, unsigned* milliwatts) = nullptr;
    int (*energy)(Device, unsigned long long* millijoules) = nullptr;
    int (*fields)(Device, int count, FieldValue*) = nullptr;
};

/// One GPU, as NVML describes it. The constructor loads NVML, which may be missing; it stays
/// initialised while this object lives. Used by one thread at a time.
class NvmlGpu {
  public:
    /// The GPU at `pci_bus` ("0000:01:00.0"). Throws nothing.
    explicit NvmlGpu(std::string pci_bus, const char* library = "libnvidia-ml.so.1");

    /// The current facts. Without NVML, `why_empty` says why; a single fact is empty if NVML
    /// refuses it, or lacks its function.
    [[nodiscard]] GpuFacts facts() const;
    [[nodiscard]] GpuCounters counters() const;

  private:
    std::string pci_bus_;
    std::string why_empty_;
    std::shared_ptr<const Nvml> nvml_;  ///< initialised; null: see why_empty_
    Nvml::Device gpu_ = nullptr;
    bool is_partitioned_ = false;  ///< its energy is then not that of our part
};

}  // namespace quartet::device
