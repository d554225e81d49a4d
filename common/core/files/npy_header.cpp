#include "core/files/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace quartet {

namespace {

// A cursor over the header's text.
class Parser {
  public:
    Parser(std::string_view text, const std::filesystem::path& file) : rest_(text), file_(file) {}

    NpyHeader header();

  private:
    void entry();
    ElementType type();
    bool boolean();
    Shape shape();
    std::int64_t extent();
    std::string_view string();

    void skip_spaces();
    bool take(std::string_view word);
    void expect(std::string_view word);
    [[noreturn]] void malformed(const std::string& why) const;

    std::string_view rest_;
    const std::filesystem::path& file_;
    std::optional<ElementType> type_;
    std::optional<bool> fortran_order_;
    std::optional<Shape> shape_;
};

NpyHeader Parser::header() {
    expect("{");
    while (!take("}")) {
        entry();
        if (!take(",")) {
            expect("}");
            break;
        }
    }
    skip_spaces();
    if (!rest_.empty()) {
        malformed("text after the closing brace");
    }
    if (!type_ || !fortran_order_ || !shape_) {
        malformed("one of descr, fortran_order and shape is missing");
    }
    if (*fortran_order_) {
        throw NpyError(NpyProblem::fortran_order, file_, "its columns are contiguous");
    }
    return {*type_, *shape_, Bytes{}};
}

void Parser::entry() {
    const std::string_view key = string();
    expect(":");
    if (key == "descr" && !type_) {
        type_ = type();
    } else if (key == "fortran_order" && !fortran_order_) {
        fortran_order_ = boolean();
    } else if (key == "shape" && !shape_) {
        shape_ = shape();
    } else {
        malformed(fmt::format("key {} unknown or repeated", quotation(key)));
    }
}

ElementType Parser::type() {
    skip_spaces();
    if (rest_.starts_with('[')) {
        throw NpyError(NpyProblem::wrong_dtype, file_, "a structured dtype");
    }
    const std::string_view found = string();
    for (const ElementType type : {ElementType::f4, ElementType::f8, ElementType::c16}) {
        if (found == descriptor(type)) {
            return type;
        }
    }
    throw NpyError(NpyProblem::wrong_dtype, file_,
                   fmt::format("dtype {} is none of <f4, <f8, <c16", quotation(found)));
}

bool Parser::boolean() {
    if (take("True")) {
        return true;
    }
    if (take("False")) {
        return false;
    }
    malformed("fortran_order is neither True nor False");
}

Shape Parser::shape() {
    Shape extents;
    expect("(");
    while (!take(")")) {
        extents.push_back(extent());
        if (!take(",")) {
            // Python reads (3) as a number: a tuple of one has its comma.
            if (extents.size() == 1) {
                malformed("shape is not a tuple");
            }
            expect(")");
            break;
        }
    }
    return extents;
}

std::int64_t Parser::extent() {
    skip_spaces();
    std::int64_t value = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, error] = std::from_chars(rest_.data(), end, value);
    if (error == std::errc::result_out_of_range) {
        throw NpyError(NpyProblem::wrong_shape, file_, "an extent of more than 63 bits");
    }
    if (error != std::errc{}) {
        malformed("an extent of the shape is not a number");
    }
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return value;
}

std::string_view Parser::string() {
    skip_spaces();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
        malformed("a quoted word is missing");
    }
    const std::string_view word = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return word;
}

void Parser::skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
}

bool Parser::take(std::string_view word) {
    skip_spaces();
    if (!rest_.starts_with(word)) {
        return false;
    }
    rest_.remove_prefix(word.size());
    return true;
}

void Parser::expect(std::string_view word) {
    if (!take(word)) {
        malformed(fmt::format("{} is missing", quotation(word)));
    }
}

void Parser::malformed(const std::string& why) const {
    throw NpyError(NpyProblem::malformed_header, file_, why);
}

std::string little_endian(std::size_t value, std::size_t bytes) {
    std::string result;
    for (std::size_t byte = 0; byte < bytes; ++byte) {
        result += static_cast<char>(value >> (8 * byte) & 0xff);
    }
    return result;
}

}  // namespace

std::string to_string(const Shape& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::optional<std::int64_t> element_count(const Shape& shape, ElementType type) {
    const auto negative = [](std::int64_t extent) { return extent < 0; };
    if (std::ranges::any_of(shape, negative)) {
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

NpyHeader parse_npy_header(std::string_view text, const std::filesystem::path& file) {
    NpyHeader header = Parser(text, file).header();
    if (!element_count(header.shape, header.type)) {
        throw NpyError(NpyProblem::wrong_shape, file,
                       fmt::format("shape {} cannot be", quotation(to_string(header.shape))));
    }
    return header;
}

std::string format_npy_header(ElementType type, const Shape& shape) {
    constexpr std::size_t alignment = 64;
    constexpr std::size_t largest_version_1 = 0xffff;
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descriptor(type), to_string(shape));
    // Version 2.0 differs by the width of the length alone.
    const bool version_1 = text.size() + alignment <= largest_version_1;
    const std::size_t length_bytes = version_1 ? 2 : 4;
    const std::size_t prelude = 8 + length_bytes;
    const std::size_t used = prelude + text.size() + 1;
    text.append((alignment - used % alignment) % alignment, ' ');
    text += '\n';
    return std::string("\x93NUMPY") + (version_1 ? '\x01' : '\x02') + '\0' +
           little_endian(text.size(), length_bytes) + text;
}

}  // namespace quartet
