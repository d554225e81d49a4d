#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/units.hpp"

namespace quartet::system {

/// `root` is the folder of proc/ and sys/; other than "/" in tests. All are local.

/// Steal time since boot, summed over these processors (OS numbers): the time in which work was
/// ready to run but the hypervisor ran something else ("steal" in proc(5)), in ticks of usually 10
/// ms. Nothing if it is not counted or has always been 0: on a machine that is not virtual, or
/// under a hypervisor that does not report it.
std::optional<Seconds> steal_time(std::span<const int> processors,
                                  const std::filesystem::path& root = "/");

/// Time since boot in which the machine's processors, all together, ran anything: user, nice,
/// system and interrupt time of proc(5), in ticks of usually 10 ms. Nothing if it is not told.
std::optional<Seconds> busy_time(const std::filesystem::path& root = "/");

/// How long the threads of this process that are alive were ready to run but waited for a processor
/// (the run queue's delay, in nanoseconds, the second number of proc/PID/task/TID/schedstat).
/// Nothing if the kernel does not count.
std::optional<Seconds> run_queue_time(const std::filesystem::path& root = "/");

/// The clock of a processor (OS number) now, in MHz, by cpufreq; nothing if that is not there,
/// as in most virtual machines.
std::optional<double> processor_megahertz(int processor, const std::filesystem::path& root = "/");

}  // namespace quartet::system
