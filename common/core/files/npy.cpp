#include "core/files/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <system_error>

#include "core/files/file.hpp"

namespace quartet {

static_assert(std::endian::native == std::endian::little, "elements are read as they lie");

namespace {

constexpr std::string_view prelude = "\x93NUMPY\x01";  // and a zero, and the length in two bytes
constexpr std::size_t magic_length = 6;
constexpr std::size_t text_begin = 10;

/// What is wrong, and what to do, around the file's name and the detail.
struct Wording {
    std::string_view before;
    std::string_view after;
    std::string_view remedy;
};
constexpr std::array<Wording, 10> wordings{{
    {"cannot open ", "", "check the path, or make the data with --generate"},
    {"", " is not an .npy file", "give one that NumPy or this suite has written"},
    {"cannot read ", "", "save it as version 1.0"},
    {"the header of ", " is damaged", "generate or copy it again"},
    {"cannot use ", "", "convert it with numpy.ndarray.astype"},
    {"cannot use ", " in Fortran order", "convert it with numpy.ascontiguousarray"},
    {"cannot use ", "", "give a file of the right shape"},
    {"", " is too short", "generate or copy it again"},
    {"", " is too long", "generate or copy it again"},
    {"cannot write ", "", "check the folder, its permissions and the space left"},
}};

std::string message(NpyProblem problem, const std::filesystem::path& file,
                    const std::string& detail) {
    const auto& [before, after, remedy] = wordings.at(static_cast<std::size_t>(problem));
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
    const Bytes wanted{std::ssize(out)};
    Bytes got;
    try {
        got = input.read(offset, out);
    } catch (const FileError& error) {
        throw NpyError(NpyProblem::cannot_open, file, error.reason());
    }
    if (got < wanted) {
        throw NpyError(NpyProblem::short_file, file,
                       fmt::format("it ends after {} B where {} B are expected",
                                   (offset + got).value, (offset + wanted).value));
    }
}

// Reads the text of a header, as NumPy writes it:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
NpyHeader parse(std::string_view text, const std::filesystem::path& file) {
    const auto refuse = [&](NpyProblem problem, const std::string& why) {
        throw NpyError(problem, file, why);
    };
    const auto take = [&](std::string_view word) {
        const bool is_there = text.starts_with(word);
        text.remove_prefix(is_there ? word.size() : 0);
        return is_there;
    };
    const auto expect = [&](std::string_view word) {
        if (!take(word)) {
            refuse(NpyProblem::malformed_header, fmt::format("{} is missing", quotation(word)));
        }
    };
    NpyHeader header;
    expect("{'descr': ");
    if (text.starts_with('[')) {
        refuse(NpyProblem::wrong_dtype, "a structured dtype where <f4, <f8 or <c16 can be read");
    }
    expect("'");
    const std::string_view dtype = text.substr(0, text.find('\''));
    text.remove_prefix(dtype.size());
    expect("', 'fortran_order': ");
    if (take("True")) {
        refuse(NpyProblem::fortran_order, "fortran_order: True");
    }
    expect("False, 'shape': (");
    while (!take(")")) {
        std::int64_t& extent = header.shape.emplace_back();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error == std::errc::result_out_of_range) {
            refuse(NpyProblem::wrong_shape, "an extent of more than 63 bits");
        }
        if (error != std::errc{}) {
            refuse(NpyProblem::malformed_header, "an extent of the shape is not a number");
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (header.shape.size() == 1) {
            expect(",");  // also of a tuple of one
            take(" ");
        } else if (!take(", ") && !text.starts_with(')')) {
            expect(")");
        }
    }
    expect(", }");
    if (text.find_first_not_of(" \n") != std::string_view::npos) {
        refuse(NpyProblem::malformed_header, "something follows it");
    }
    const std::array types{ElementType::f4, ElementType::f8, ElementType::c16};
    const auto type = std::ranges::find(types, dtype, descriptor);
    if (type == types.end()) {
        refuse(NpyProblem::wrong_dtype,
               fmt::format("dtype {} where <f4, <f8 or <c16 can be read", quotation(dtype)));
    }
    header.type = *type;
    return header;
}

void require_length(const InputFile& input, const NpyHeader& header,
                    const std::filesystem::path& file) {
    const auto count = element_count(header.shape, header.type);
    if (!count) {
        throw NpyError(NpyProblem::wrong_shape, file,
                       fmt::format("shape {} cannot be", quotation(to_string(header.shape))));
    }
    const Bytes elements = *count * size_of(header.type);
    const Bytes present = input.size() - header.data_offset;
    if (present != elements) {
        throw NpyError(
            present < elements ? NpyProblem::short_file : NpyProblem::long_file, file,
            fmt::format("{} B of elements where shape {} of {} makes {} B", present.value,
                        to_string(header.shape), descriptor(header.type), elements.value));
    }
}

}  // namespace

std::string_view descriptor(ElementType type) {
    constexpr std::array<std::string_view, 3> texts{"<f4", "<f8", "<c16"};
    return texts.at(static_cast<std::size_t>(type));
}

Bytes size_of(ElementType type) {
    constexpr std::array<std::int64_t, 3> sizes{4, 8, 16};
    return {sizes.at(static_cast<std::size_t>(type))};
}

std::string to_string(const Shape& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::optional<std::int64_t> element_count(const Shape& shape, ElementType type) {
    if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; })) {
        return std::nullopt;
    }
    // An empty array may have other extents of any size.
    if (std::ranges::find(shape, 0) != shape.end()) {
        return 0;
    }
    std::int64_t room = std::numeric_limits<std::int64_t>::max() / size_of(type).value;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent > room) {
            return std::nullopt;
        }
        room /= extent;
        count *= extent;
    }
    return count;
}

NpyError::NpyError(NpyProblem problem, const std::filesystem::path& file, const std::string& detail)
    : Failure(message(problem, file, detail)), problem_(problem) {}

NpyHeader read_npy_header(const std::filesystem::path& file) {
    const InputFile input = open_npy(file);
    std::array<char, text_begin> found{};
    const auto bytes = std::as_writable_bytes(std::span(found));
    // A short file that does not begin as .npy files do is better called by that name.
    const auto begin = static_cast<std::size_t>(std::min(input.size(), Bytes{magic_length}).value);
    read_exactly(input, {}, bytes.first(begin), file);
    if (std::string_view(found.data(), begin) != prelude.substr(0, begin)) {
        throw NpyError(NpyProblem::wrong_magic, file, "its first bytes are not \\x93NUMPY");
    }
    read_exactly(input, {}, bytes, file);
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(found[at]); };
    if (byte(6) != 1 || byte(7) != 0) {
        throw NpyError(NpyProblem::unsupported_version, file,
                       fmt::format("format version {}.{}", byte(6), byte(7)));
    }
    std::string text(static_cast<std::size_t>(byte(8) | byte(9) << 8), '\0');
    read_exactly(input, Bytes{text_begin}, std::as_writable_bytes(std::span(text)), file);
    NpyHeader header = parse(text, file);
    header.data_offset = Bytes{text_begin} + Bytes{std::ssize(text)};
    require_length(input, header, file);
    return header;
}

std::string format_npy_header(ElementType type, const Shape& shape) {
    constexpr std::size_t alignment = 64;
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descriptor(type), to_string(shape));
    text.append((alignment - (text_begin + text.size() + 1) % alignment) % alignment, ' ');
    text += '\n';
    check(text.size() < 1 << 16, "a shape of too many extents for an .npy file");
    return fmt::format("{}{}{}{}{}", prelude, '\0', static_cast<char>(text.size() & 0xff),
                       static_cast<char>(text.size() >> 8), text);
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
    require(header, element_type<T>(), header.shape, file);
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

using Path = std::filesystem::path;
using Complex = std::complex<double>;
template void read_npy(const Path&, const NpyHeader&, std::int64_t, std::span<float>);
template void read_npy(const Path&, const NpyHeader&, std::int64_t, std::span<double>);
template void read_npy(const Path&, const NpyHeader&, std::int64_t, std::span<Complex>);
template void read_npy(const Path&, const Shape&, std::span<float>);
template void read_npy(const Path&, const Shape&, std::span<double>);
template void read_npy(const Path&, const Shape&, std::span<Complex>);
template void write_npy(const Path&, const Shape&, std::span<const float>);
template void write_npy(const Path&, const Shape&, std::span<const double>);
template void write_npy(const Path&, const Shape&, std::span<const Complex>);

}  // namespace quartet
