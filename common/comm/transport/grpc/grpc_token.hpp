#pragma once

#include <string>
#include <string_view>

namespace quartet::comm {

/// A secret: 256 random bits of the system as hexadecimal digits. Throws Failure if the system has
/// none. Local.
std::string draw_token();

/// Compares two tokens in a time that depends on their lengths alone. The time of a refusal
/// therefore tells nothing about the right token. Local.
bool is_same_token(std::string_view one, std::string_view other);

}  // namespace quartet::comm
