#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet {

/// Element types of the suite's files: little-endian, as NumPy writes '<f4', '<f8', '<c16'.
enum class ElementType { f4, f8, c16 };

template <typename T>
constexpr ElementType element_type() {
    static_assert(std::is_floating_point_v<T> || std::is_same_v<T, std::complex<double>>);
    return std::is_same_v<T, float>    ? ElementType::f4
           : std::is_same_v<T, double> ? ElementType::f8
                                       : ElementType::c16;
}

/// "<f4", "<f8", "<c16".
std::string_view descriptor(ElementType type);

using Shape = std::vector<std::int64_t>;

/// The shape as Python writes it: "()", "(3,)", "(3, 4)".
std::string to_string(const Shape& shape);

/// An .npy file that cannot be used: the message names the file, the reason and the remedy.
class NpyError : public Failure {
  public:
    NpyError(const std::filesystem::path& file, const std::string& reason);
};

/// The header of a file of format 1.0 in C order, as NumPy writes it: magic, version, length and
/// text, padded so that the elements begin at a multiple of 64 bytes. Throws Failure if it is too
/// long.
std::string format_npy_header(ElementType type, const Shape& shape);

/// Reads elements [first, first + out.size()), row-major, of a file that must be exactly what
/// write_npy() makes of an array of that shape. Throws NpyError. Threads may read one file
/// together.
template <typename T>
void read_npy(const std::filesystem::path& file, const Shape& shape, std::span<T> out,
              std::int64_t first = 0);

/// Writes a file aside and renames it, so that no reader sees half a file. Throws NpyError.
template <typename T>
void write_npy(const std::filesystem::path& file, const Shape& shape, std::span<const T> data);

}  // namespace quartet
