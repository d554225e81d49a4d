#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/files/npy.hpp"

namespace quartet {

/// Product of the extents (1 for a scalar), or nothing if one is negative or the array's bytes
/// outgrow 64 bits.
std::optional<std::int64_t> element_count(const Shape& shape, ElementType type);

/// Reads the text of an .npy header, such as
///   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
/// with its three keys in any order and any spaces between the words; nothing else of Python.
/// Throws NpyError that names `file`. `data_offset` is left at 0.
NpyHeader parse_npy_header(std::string_view text, const std::filesystem::path& file);

/// All that stands before the elements: magic, version, length and text, padded so that the
/// elements begin at a multiple of 64 bytes.
std::string format_npy_header(ElementType type, const Shape& shape);

}  // namespace quartet
