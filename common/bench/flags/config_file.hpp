#pragma once

#include <string>
#include <vector>

namespace quartet::bench {

/// One line of a file of flags.
struct ConfigLine {
    std::string flag;   ///< "runs"
    std::string value;  ///< without its quotes; a list's members with commas between
};

/// Reads a file of flags, one 'flag = value' a line as in TOML; a flag alone is "true". Throws
/// UsageError unless it is a regular file (no pipe or device is waited for) of at most 1 MiB, with
/// lines of at most 4096 characters, no sections, and closed quotes. Local.
std::vector<ConfigLine> read_config(const std::string& file);

/// Whether the line switches on a flag that takes no value. Throws UsageError unless the value says
/// on or off.
bool is_on(const ConfigLine& line);

}  // namespace quartet::bench
