#include "core/files/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/files/file.hpp"

namespace quartet {

static_assert(std::endian::native == std::endian::little, "files have little-endian elements");

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t text_begin = 10;  // after magic, version and length

std::int64_t element_count(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        count = saturated_product(count, extent);
    }
    return count;
}

// The text of a header, for a message.
std::string text_of(std::string_view header) {
    header.remove_prefix(std::min(header.size(), text_begin));
    return quotation(header.substr(0, header.find_last_not_of(" \n") + 1));
}

void require_header(std::string_view found, std::string_view wanted,
                    const std::filesystem::path& file) {
    if (found == wanted) {
        return;
    }
    if (!found.starts_with(magic)) {
        throw NpyError(file, "its first bytes are not \\x93NUMPY");
    }
    throw NpyError(file, fmt::format("its header is {} where {} is expected", text_of(found),
                                     text_of(wanted)));
}

}  // namespace

std::string_view descriptor(ElementType type) {
    constexpr std::array<std::string_view, 3> texts{"<f4", "<f8", "<c16"};
    return texts.at(static_cast<std::size_t>(type));
}

std::string to_string(const Shape& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyError::NpyError(const std::filesystem::path& file, const std::string& reason)
    : Failure(fmt::format("cannot use {} ({}): make it again with --generate, or name another "
                          "folder",
                          quotation(file.native()), reason)) {}

std::string format_npy_header(ElementType type, const Shape& shape) {
    constexpr std::size_t alignment = 64;
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descriptor(type), to_string(shape));
    text.append((alignment - (text_begin + text.size() + 1) % alignment) % alignment, ' ');
    text += '\n';
    check(text.size() < 1 << 16, "a shape of too many extents for an .npy file");
    return fmt::format("{}\x01{}{}{}{}", magic, '\0', static_cast<char>(text.size() & 0xff),
                       static_cast<char>(text.size() >> 8), text);
}

template <typename T>
void read_npy(const std::filesystem::path& file, const Shape& shape, std::span<T> out,
              std::int64_t first) {
    const std::int64_t count = element_count(shape);
    check(first >= 0 && first <= count && std::ssize(out) <= count - first,
          "range outside of an .npy file");
    const std::string wanted = format_npy_header(element_type<T>(), shape);
    const Bytes header{std::ssize(wanted)};
    try {
        const InputFile input(file);
        std::string found(wanted.size(), '\0');
        const Bytes got = input.read({}, std::as_writable_bytes(std::span(found)));
        found.resize(static_cast<std::size_t>(got.value));
        require_header(found, wanted, file);
        const Bytes offset = header + bytes_of<T>(first);
        if (input.size() != header + bytes_of<T>(count) ||
            input.read(offset, std::as_writable_bytes(out)) != bytes_of<T>(std::ssize(out))) {
            throw NpyError(file,
                           fmt::format("it has {} B of elements where shape {} of {} makes "
                                       "{} B",
                                       (input.size() - header).value, to_string(shape),
                                       descriptor(element_type<T>()), bytes_of<T>(count).value));
        }
    } catch (const FileError& error) {
        throw NpyError(file, error.reason());
    }
}

template <typename T>
void write_npy(const std::filesystem::path& file, const Shape& shape, std::span<const T> data) {
    check(element_count(shape) == std::ssize(data),
          "shape and size of an array to be written differ");
    const std::string header = format_npy_header(element_type<T>(), shape);
    try {
        OutputFile output(file);
        output.write(std::as_bytes(std::span(header)));
        output.write(std::as_bytes(data));
        output.commit();
    } catch (const FileError& error) {
        throw NpyError(file, error.reason());
    }
}

using Path = std::filesystem::path;
using Complex = std::complex<double>;
template void read_npy(const Path&, const Shape&, std::span<float>, std::int64_t);
template void read_npy(const Path&, const Shape&, std::span<double>, std::int64_t);
template void read_npy(const Path&, const Shape&, std::span<Complex>, std::int64_t);
template void write_npy(const Path&, const Shape&, std::span<const float>);
template void write_npy(const Path&, const Shape&, std::span<const double>);
template void write_npy(const Path&, const Shape&, std::span<const Complex>);

}  // namespace quartet
