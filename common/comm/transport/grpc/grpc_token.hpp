#pragma once

#include <string>
#include <string_view>

namespace quartet::comm {

/// A secret that nobody can guess: 256 bits of the system's randomness, as hexadecimal digits.
/// Throws Failure where the system has none. Local.
std::string draw_token();

/// Whether both are the same, in a time that depends on their lengths alone: how long it takes to
/// refuse a wrong token tells nothing about the right one. Local.
bool is_same_token(std::string_view one, std::string_view other);

}  // namespace quartet::comm
