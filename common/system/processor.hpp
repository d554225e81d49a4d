#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace quartet::system {

/// The name of the first processor in the text of /proc/cpuinfo. Arm's kernel gives numbers
/// instead, of which the best-known have their names here. "processor of unknown model" where
/// nothing is told.
std::string processor_name(std::string_view cpuinfo);

/// A cache of the first core, as the kernel describes it.
struct Cache {
    std::string type;  ///< "Data", "Instruction", "Unified"
    int level = 0;
    Bytes size;
    int cores = 1;  ///< that share it
};

/// In the kernel's order; none where it does not tell. Local.
std::vector<Cache> caches();

/// What a core can fill of the caches above the first while all others do the same: 4 MiB where
/// the kernel does not tell. Read once. Local.
Bytes cache_share();

/// The processor limit of this process's control group and of those above it, in processors
/// (cpu.max; v1: cpu.cfs_quota_us over cpu.cfs_period_us): 1.5 in a container started with
/// --cpus=1.5. Nothing if there is no limit. `root` is the folder of proc/ and sys/; other than
/// "/" in tests. Local.
std::optional<double> processor_quota(const std::filesystem::path& root = "/");

/// The CPUs (OS numbers, ascending) of all places to which OpenMP binds this process's threads
/// (OMP_PROC_BIND, OMP_PLACES); empty if it does not bind. The main thread's own binding is no
/// substitute: it is bound to the first place only.
std::vector<int> openmp_places();

/// Times 120000 integer multiplications in registers on each of `threads` threads at once. Returns
/// the slowest thread's time in the best of a few tries (about 0.1 ms in all). A lower clock shows
/// as a longer time, and two busy hyperthreads of one core as twice the time. A virtual machine's
/// processors may share a core at one time and not at another; nothing else in it shows that.
/// Local.
Seconds probe_clock(int threads);

/// Steal time since boot, summed over these processors (OS numbers): the time in which work was
/// ready to run but the hypervisor ran something else ("steal" in proc(5)), in ticks of usually 10
/// ms. Nothing if it is not counted or has always been 0: on a machine that is not virtual, or
/// under a hypervisor that does not report it.
std::optional<Seconds> steal_time(std::span<const int> processors,
                                  const std::filesystem::path& root = "/");

/// Time since boot in which the machine's processors, all together, ran anything: user, nice,
/// system and interrupt time of proc(5), in ticks of usually 10 ms. Nothing if it is not told.
std::optional<Seconds> busy_time(const std::filesystem::path& root = "/");

}  // namespace quartet::system
