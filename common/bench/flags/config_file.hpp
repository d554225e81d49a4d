#pragma once

#include <string>
#include <vector>

namespace quartet::bench {

/// One line of a file of flags.
struct ConfigLine {
    std::string flag;   ///< "runs"
    std::string value;  ///< without its quotes; a list's members with commas between
};

/// What is in a file of flags, one 'flag = value' a line as in TOML; a flag alone is "true". Throws
/// UsageError unless it is a regular file (no pipe or device is waited for) of at most 1 MiB, in
/// lines of at most 4096 characters, without sections, whose quotes close. Local.
std::vector<ConfigLine> read_config(const std::string& file);

/// Whether a flag that has no value is on. Throws UsageError unless the value says on or off.
bool is_on(const ConfigLine& line);

}  // namespace quartet::bench
