#pragma once

#include <string>

namespace quartet::bench {

/// What is in a file of flags, for the parser: one 'flag = value' a line. Throws UsageError unless
/// it is a regular file (no pipe or device is waited for) of at most 1 MiB, in lines of at most
/// 4096 characters, without sections, whose quotes close. Local.
std::string config_text(const std::string& file);

/// Throws UsageError unless `value` is a word of a flag that is on or off. Local.
void require_switch_word(const std::string& flag, const std::string& value);

}  // namespace quartet::bench
