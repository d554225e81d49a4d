#pragma once

#include <memory>

namespace quartet::device {

/// As much of NVIDIA's management library as we use, in our own declarations: its header comes with
/// only some toolkits, and its binary interface is stable. All functions return 0 for success.
struct Nvml {
    using Device = struct Opaque*;
    struct Memory {
        unsigned long long total;
        unsigned long long free;
        unsigned long long used;
    };
    static constexpr int multiprocessor_clock = 1;
    static constexpr int memory_clock = 2;
    static constexpr int gpu_temperature = 0;

    int (*initialise)() = nullptr;
    int (*shut_down)() = nullptr;
    int (*handle_by_pci_bus)(const char* bus, Device*) = nullptr;
    int (*driver_version)(char* text, unsigned length) = nullptr;
    int (*name)(Device, char* text, unsigned length) = nullptr;
    int (*uuid)(Device, char* text, unsigned length) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*clock)(Device, int kind, unsigned* megahertz) = nullptr;
    int (*most_clock)(Device, int kind, unsigned* megahertz) = nullptr;
    int (*throttle_reasons)(Device, unsigned long long* mask) = nullptr;
    int (*error_correction)(Device, unsigned* current, unsigned* pending) = nullptr;
    int (*partitioning)(Device, unsigned* current, unsigned* pending) = nullptr;
    int (*power_limit)(Device, unsigned* milliwatts) = nullptr;
    int (*energy)(Device, unsigned long long* millijoules) = nullptr;
    int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
};

/// Loads the library. Throws Unavailable if it or one of its functions is missing.
std::shared_ptr<const Nvml> load_nvml();

}  // namespace quartet::device
