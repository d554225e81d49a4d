#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "comm/mpi/communicator.hpp"
#include "core/units.hpp"

namespace quartet::bench {

/// Makes the folder where it is missing. Throws UsageError, on all ranks alike, unless all see it
/// and the first can write to it. Collective.
void make_usable(const std::filesystem::path& folder, const comm::Communicator& world);

/// Writes a file aside, flushes it and gives it its name; for that to survive a power cut, flush
/// its folder. Throws FileError. Local.
void write_flushed(const std::filesystem::path& file, std::span<const std::byte> data);

/// Reads a file. Throws Failure that names it if it is longer than `most` or has another checksum.
/// Local.
std::string unaltered(const std::filesystem::path& file, Bytes most, std::uint64_t checksum);

}  // namespace quartet::bench
