#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace quartet::emulator {

/// A kernel has done what it may not.
[[noreturn]] inline void refuse(const std::string& what) {
    throw std::logic_error("emulated GPU: " + what);
}

/// "file:line".
[[nodiscard]] inline std::string text_of(const std::source_location& place) {
    return std::string(place.file_name()) + ":" + std::to_string(place.line());
}

}  // namespace quartet::emulator
