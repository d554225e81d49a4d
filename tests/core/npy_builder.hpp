#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/files/npy.hpp"

namespace quartet {

/// Magic, version and a header length of `width` bytes, be they right or wrong.
inline std::string npy_prelude(char version, std::size_t width, std::size_t length) {
    std::string result = std::string("\x93NUMPY") + version + '\0';
    for (std::size_t byte = 0; byte < width; ++byte) {
        result += static_cast<char>(length >> (8 * byte) & 0xff);
    }
    return result;
}

inline std::string npy_version_1(std::string_view text) {
    return npy_prelude('\x01', 2, text.size()) + std::string(text);
}

inline std::string npy_version_2(std::string_view text) {
    return npy_prelude('\x02', 4, text.size()) + std::string(text);
}

/// The problem of the NpyError that `action` must throw.
template <typename Action>
std::optional<NpyProblem> problem_in(const Action& action) {
    try {
        action();
    } catch (const NpyError& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        return error.problem();
    }
    return std::nullopt;
}

}  // namespace quartet
