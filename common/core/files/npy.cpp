#include "core/files/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/files/file.hpp"
#include "core/files/npy_header.hpp"

namespace quartet {

static_assert(std::endian::native == std::endian::little, "elements are read as they lie");

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr Bytes longest_header = mebibytes(1);

// What is wrong, and what to do, around the file's name and the detail.
struct Wording {
    std::string_view before;
    std::string_view after;
    std::string_view remedy;
};

Wording wording(NpyProblem problem) {
    constexpr std::string_view again = "generate or copy it again";
    switch (problem) {
        case NpyProblem::cannot_open:
            return {"cannot open ", "", "check the path, or make the data with --generate"};
        case NpyProblem::wrong_magic:
            return {"", " is not an .npy file", "give one that NumPy or this suite has written"};
        case NpyProblem::unsupported_version:
            return {"cannot read ", "", "save it as version 1.0 or 2.0"};
        case NpyProblem::absurd_header_length:
        case NpyProblem::malformed_header:
            return {"the header of ", " is damaged", again};
        case NpyProblem::wrong_dtype:
            return {"cannot use ", "", "convert it with numpy.ndarray.astype"};
        case NpyProblem::fortran_order:
            return {"cannot use ", " in Fortran order", "convert it with numpy.ascontiguousarray"};
        case NpyProblem::wrong_shape:
            return {"cannot use ", "", "give a file of the right shape"};
        case NpyProblem::short_file:
            return {"", " is too short", again};
        case NpyProblem::long_file:
            return {"", " is too long", again};
        case NpyProblem::cannot_write:
            return {"cannot write ", "", "check the folder, its permissions and the space left"};
    }
    fail("unknown problem of an .npy file");
}

std::string message(NpyProblem problem, const std::filesystem::path& file,
                    const std::string& detail) {
    const auto [before, after, remedy] = wording(problem);
    return fmt::format("{}{}{} ({}): {}", before, quotation(file.native()), after, detail, remedy);
}

InputFile open_npy(const std::filesystem::path& file) {
    try {
        return InputFile(file);
    } catch (const FileError& error) {
        throw NpyError(NpyProblem::cannot_open, file, error.reason());
    }
}

// Reads all of `out`, or throws NpyError(short_file).
void read_exactly(const InputFile& input, Bytes offset, std::span<std::byte> out,
                  const std::filesystem::path& file) {
    const auto wanted = static_cast<std::int64_t>(out.size());
    Bytes got;
    try {
        got = input.read(offset, out);
    } catch (const FileError& error) {
        throw NpyError(NpyProblem::cannot_open, file, error.reason());
    }
    if (got.value < wanted) {
        throw NpyError(NpyProblem::short_file, file,
                       fmt::format("it ends after {} B where {} B are expected",
                                   offset.value + got.value, offset.value + wanted));
    }
}

// An extent of bytes within the file.
struct Section {
    Bytes offset;
    Bytes length;
};

// Reads magic, version and length; returns where the header's text lies.
Section find_header_text(const InputFile& input, const std::filesystem::path& file) {
    std::array<char, 12> prelude{};
    const auto bytes = std::as_writable_bytes(std::span(prelude));
    // A short file that does not begin as .npy files do is better called by that name.
    const Bytes size = std::min(input.size(), Bytes{std::ssize(magic)});
    const auto begin = static_cast<std::size_t>(size.value);
    read_exactly(input, Bytes{}, bytes.first(begin), file);
    if (std::string_view(prelude.data(), begin) != magic.substr(0, begin)) {
        throw NpyError(NpyProblem::wrong_magic, file, "its first bytes are not \\x93NUMPY");
    }
    read_exactly(input, Bytes{}, bytes.first(10), file);
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(prelude[at]); };
    if ((byte(6) != 1 && byte(6) != 2) || byte(7) != 0) {
        throw NpyError(NpyProblem::unsupported_version, file,
                       fmt::format("format version {}.{}", byte(6), byte(7)));
    }
    if (byte(6) == 1) {
        return {Bytes{10}, Bytes{byte(8) | byte(9) << 8}};
    }
    read_exactly(input, Bytes{}, bytes, file);
    const std::int64_t high = byte(10) | byte(11) << 8;
    return {Bytes{12}, Bytes{(byte(8) | byte(9) << 8) + (high << 16)}};
}

void check_length(const InputFile& input, const NpyHeader& header,
                  const std::filesystem::path& file) {
    const std::int64_t count = element_count(header.shape, header.type).value();
    const Bytes elements = count * size_of(header.type);
    const Bytes present = input.size() - header.data_offset;
    if (present == elements) {
        return;
    }
    throw NpyError(present < elements ? NpyProblem::short_file : NpyProblem::long_file, file,
                   fmt::format("{} B of elements where shape {} of {} makes {} B", present.value,
                               to_string(header.shape), descriptor(header.type), elements.value));
}

template <typename T>
void require_type(const NpyHeader& header, const std::filesystem::path& file) {
    require(header, element_type<T>(), header.shape, file);
}

}  // namespace

std::string_view descriptor(ElementType type) {
    switch (type) {
        case ElementType::f4:
            return "<f4";
        case ElementType::f8:
            return "<f8";
        case ElementType::c16:
            return "<c16";
    }
    fail("unknown element type");
}

Bytes size_of(ElementType type) {
    switch (type) {
        case ElementType::f4:
            return {4};
        case ElementType::f8:
            return {8};
        case ElementType::c16:
            return {16};
    }
    fail("unknown element type");
}

NpyError::NpyError(NpyProblem problem, const std::filesystem::path& file, const std::string& detail)
    : Failure(message(problem, file, detail)), problem_(problem) {}

NpyHeader read_npy_header(const std::filesystem::path& file) {
    const InputFile input = open_npy(file);
    const auto [offset, length] = find_header_text(input, file);
    if (length > longest_header || length > input.size() - offset) {
        throw NpyError(
            NpyProblem::absurd_header_length, file,
            fmt::format("a header of {} B in a file of {} B", length.value, input.size().value));
    }
    std::string text(static_cast<std::size_t>(length.value), '\0');
    read_exactly(input, offset, std::as_writable_bytes(std::span(text)), file);
    NpyHeader header = parse_npy_header(text, file);
    header.data_offset = offset + length;
    check_length(input, header, file);
    return header;
}

void require(const NpyHeader& header, ElementType type, const Shape& shape,
             const std::filesystem::path& file) {
    if (header.type != type) {
        throw NpyError(NpyProblem::wrong_dtype, file,
                       fmt::format("dtype {} where {} is expected", descriptor(header.type),
                                   descriptor(type)));
    }
    if (header.shape != shape) {
        throw NpyError(NpyProblem::wrong_shape, file,
                       fmt::format("shape {} where {} is expected", to_string(header.shape),
                                   to_string(shape)));
    }
}

template <typename T>
void read_npy(const std::filesystem::path& file, const NpyHeader& header, std::int64_t first,
              std::span<T> out) {
    require_type<T>(header, file);
    const std::int64_t total = element_count(header.shape, header.type).value_or(0);
    check(first >= 0 && first <= total && std::ssize(out) <= total - first,
          "range outside of an .npy file");
    read_exactly(open_npy(file), header.data_offset + bytes_of<T>(first),
                 std::as_writable_bytes(out), file);
}

template <typename T>
void read_npy(const std::filesystem::path& file, const Shape& shape, std::span<T> out) {
    check(element_count(shape, element_type<T>()) == std::ssize(out),
          "shape and size of an array to be read differ");
    const NpyHeader header = read_npy_header(file);
    require(header, element_type<T>(), shape, file);
    read_npy(file, header, 0, out);
}

template <typename T>
void write_npy(const std::filesystem::path& file, const Shape& shape, std::span<const T> data) {
    check(element_count(shape, element_type<T>()) == std::ssize(data),
          "shape and size of an array to be written differ");
    const std::string header = format_npy_header(element_type<T>(), shape);
    try {
        OutputFile output(file);
        output.write(std::as_bytes(std::span(header)));
        output.write(std::as_bytes(data));
        output.commit();
    } catch (const FileError& error) {
        throw NpyError(NpyProblem::cannot_write, file, error.reason());
    }
}

template void read_npy(const std::filesystem::path&, const NpyHeader&, std::int64_t,
                       std::span<float>);
template void read_npy(const std::filesystem::path&, const NpyHeader&, std::int64_t,
                       std::span<double>);
template void read_npy(const std::filesystem::path&, const NpyHeader&, std::int64_t,
                       std::span<std::complex<double>>);
template void read_npy(const std::filesystem::path&, const Shape&, std::span<float>);
template void read_npy(const std::filesystem::path&, const Shape&, std::span<double>);
template void read_npy(const std::filesystem::path&, const Shape&, std::span<std::complex<double>>);
template void write_npy(const std::filesystem::path&, const Shape&, std::span<const float>);
template void write_npy(const std::filesystem::path&, const Shape&, std::span<const double>);
template void write_npy(const std::filesystem::path&, const Shape&,
                        std::span<const std::complex<double>>);

}  // namespace quartet
