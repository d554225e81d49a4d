#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace quartet::system {

/// The name of the first processor in the text of /proc/cpuinfo. On Arm the kernel gives numbers
/// instead, and this translates the best-known ones. "processor of unknown model" if it gives
/// neither.
std::string processor_name(std::string_view cpuinfo);

/// A cache of the first core, as the kernel describes it.
struct Cache {
    std::string type;  ///< "Data", "Instruction", "Unified"
    int level = 0;
    Bytes size;
    int cores = 1;  ///< logical CPUs that share it
};

/// The caches in the kernel's order; empty if it does not describe them. Local.
std::vector<Cache> caches();

/// The share that a logical CPU has of the caches above the first level while all others use
/// theirs: of each at most 16 MiB, since a virtual machine may name a whole socket's cache its own;
/// 4 MiB if the kernel does not describe them. Local.
Bytes cache_share(const std::vector<Cache>& all);

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
/// system and interrupt time of proc(5), in ticks of usually 10 ms. Nothing if it is unknown.
std::optional<Seconds> busy_time(const std::filesystem::path& root = "/");

}  // namespace quartet::system
