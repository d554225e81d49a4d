#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "core/units.hpp"

namespace quartet {

/// Element types of the suite's files: little-endian, as NumPy writes '<f4', '<f8', '<c16'.
enum class ElementType { f4, f8, c16 };

template <typename T>
constexpr ElementType element_type() = delete;
template <>
constexpr ElementType element_type<float>() {
    return ElementType::f4;
}
template <>
constexpr ElementType element_type<double>() {
    return ElementType::f8;
}
template <>
constexpr ElementType element_type<std::complex<double>>() {
    return ElementType::c16;
}

/// "<f4", "<f8", "<c16".
std::string_view descriptor(ElementType type);
/// Bytes of one element.
Bytes size_of(ElementType type);

using Shape = std::vector<std::int64_t>;

/// The shape as Python writes it: "()", "(3,)", "(3, 4)".
std::string to_string(const Shape& shape);
/// Product of the extents (1 for a scalar), or nothing if one is negative or the array's bytes
/// outgrow 64 bits.
std::optional<std::int64_t> element_count(const Shape& shape, ElementType type);

/// The problems of .npy files.
enum class NpyProblem {
    cannot_open,
    wrong_magic,
    unsupported_version,
    malformed_header,  ///< also: one that NumPy would have written otherwise
    wrong_dtype,
    fortran_order,
    wrong_shape,  ///< also: negative, or of more elements than can be counted
    short_file,
    long_file,
    cannot_write,
};

/// A file that cannot be used: its message names the file, the problem and what was expected.
class NpyError : public Failure {
  public:
    NpyError(NpyProblem problem, const std::filesystem::path& file, const std::string& detail);
    [[nodiscard]] NpyProblem problem() const { return problem_; }

  private:
    NpyProblem problem_;
};

/// The header of an .npy file as NumPy writes it, version 1.0, C order only.
struct NpyHeader {
    ElementType type = ElementType::f4;
    Shape shape;
    Bytes data_offset;  ///< where the elements begin in the file
};

/// Reads and checks the header and the file's length against it. Throws NpyError.
NpyHeader read_npy_header(const std::filesystem::path& file);

/// All that stands before the elements: magic, version, length and text, padded so that the
/// elements begin at a multiple of 64 bytes.
std::string format_npy_header(ElementType type, const Shape& shape);

/// Throws NpyError (wrong_dtype, wrong_shape) unless `header` says `type` and `shape`.
void require(const NpyHeader& header, ElementType type, const Shape& shape,
             const std::filesystem::path& file);

/// Reads elements [first, first + out.size()) in file order (row-major) of a file whose dtype
/// is T. Throws NpyError; the range must lie in the file. Threads may read one file together.
template <typename T>
void read_npy(const std::filesystem::path& file, const NpyHeader& header, std::int64_t first,
              std::span<T> out);

/// Reads a whole file that must hold exactly `shape` of T; out.size() is its product.
template <typename T>
void read_npy(const std::filesystem::path& file, const Shape& shape, std::span<T> out);

/// Writes a file aside and renames it, so that no reader sees half a file. Throws
/// NpyError(cannot_write).
template <typename T>
void write_npy(const std::filesystem::path& file, const Shape& shape, std::span<const T> data);

}  // namespace quartet
