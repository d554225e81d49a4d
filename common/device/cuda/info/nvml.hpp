#pragma once

#include "core/shared_library.hpp"

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

    /// Throws Failure where the library or one of its functions is missing.
    Nvml();

    SharedLibrary library;
    int (*initialise)();
    int (*shut_down)();
    int (*handle_by_pci_bus)(const char* bus, Device*);
    int (*driver_version)(char* text, unsigned length);
    int (*name)(Device, char* text, unsigned length);
    int (*uuid)(Device, char* text, unsigned length);
    int (*memory)(Device, Memory*);
    int (*clock)(Device, int kind, unsigned* megahertz);
    int (*most_clock)(Device, int kind, unsigned* megahertz);
    int (*throttle_reasons)(Device, unsigned long long* mask);
    int (*error_correction)(Device, unsigned* current, unsigned* pending);
    int (*partitioning)(Device, unsigned* current, unsigned* pending);
    int (*power_limit)(Device, unsigned* milliwatts);
    int (*energy)(Device, unsigned long long* millijoules);
    int (*temperature)(Device, int sensor, unsigned* celsius);
};

}  // namespace quartet::device
