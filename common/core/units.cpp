#include "core/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>

#include "core/check.hpp"

namespace quartet {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};

constexpr std::array<Unit, 5> units = {{{"B", 1},
                                        {"KiB", std::int64_t{1} << 10},
                                        {"MiB", std::int64_t{1} << 20},
                                        {"GiB", std::int64_t{1} << 30},
                                        {"TiB", std::int64_t{1} << 40}}};

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view why,
                         std::string_view remedy) {
    throw UsageError(fmt::format("bad {} {} ({}): {}", what, quotation(text), why, remedy));
}

[[noreturn]] void refuse_count(std::string_view text, std::string_view why) {
    refuse("number", text, why, "write digits such as 8192, or 2^k");
}

[[noreturn]] void refuse_bytes(std::string_view text, std::string_view why) {
    refuse("size", text, why,
           "write bytes such as 4096, or 2^k, or a number with KiB, MiB, GiB or TiB");
}

[[noreturn]] void refuse_elements(std::string_view text, std::string_view why) {
    refuse("number of elements", text, why, "write 8192, 2^13, 8k (which is 8192) or 1e4");
}

// Takes the digits at the front of `text`; may be none.
std::string_view take_digits(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

// The value of a string of digits, or nothing if it outgrows 63 bits.
std::optional<std::int64_t> value_of(std::string_view digits) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    return value;
}

// "8192" or "2^24" from the front of `text`: a number that is too large, or none, is refused.
template <typename Refuse>
std::int64_t take_count(std::string_view& text, const Refuse& refuse_as) {
    const bool power = text.starts_with("2^");
    if (power) {
        text.remove_prefix(2);
    }
    const std::string_view digits = take_digits(text);
    if (digits.empty()) {
        refuse_as("it does not begin with a number");
    }
    const std::optional<std::int64_t> value = value_of(digits);
    if (!value || (power && *value > 62)) {
        refuse_as("it does not fit 63 bits");
    }
    return power ? std::int64_t{1} << *value : *value;
}

/// A number as it is written, before its unit.
struct Amount {
    std::int64_t whole = 0;
    double fraction = 0;  ///< less than 1, but for rounding
};

// "e4" from the front of `text`, or 0 if there is none.
template <typename Refuse>
std::size_t take_exponent(std::string_view& text, const Refuse& refuse_as) {
    if (!text.starts_with('e') && !text.starts_with('E')) {
        return 0;
    }
    text.remove_prefix(1);
    const std::string_view digits = take_digits(text);
    if (digits.empty()) {
        refuse_as("digits alone may follow e");
    }
    const auto exponent = value_of(digits);
    if (!exponent || *exponent > 18) {
        refuse_as("it does not fit 63 bits");
    }
    return static_cast<std::size_t>(*exponent);
}

// "2^13", "8192", "1.5" or "1.5e3" from the front of `text`.
template <typename Refuse>
Amount take_amount(std::string_view& text, const Refuse& refuse_as) {
    if (text.starts_with("2^")) {
        return {take_count(text, refuse_as), 0};
    }
    std::string digits(take_digits(text));
    if (digits.empty()) {
        refuse_as("it does not begin with a number");
    }
    std::string decimals;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        decimals = take_digits(text);
        if (decimals.empty()) {
            refuse_as("no digit follows the point");
        }
    }
    // The point moves to the right by the exponent.
    const std::size_t exponent = take_exponent(text, refuse_as);
    decimals.resize(std::max(decimals.size(), exponent), '0');
    digits += decimals.substr(0, exponent);
    const auto whole = value_of(digits);
    if (!whole) {
        refuse_as("it does not fit 63 bits");
    }
    const std::string rest = "0." + decimals.substr(exponent);
    double fraction = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), fraction);
    return {*whole, fraction};
}

// "k" is 2^10, "M" 2^20 and so on, as it is for memory and for lengths of transforms.
std::optional<std::int64_t> binary_multiple(std::string_view letter) {
    constexpr std::string_view letters = "kmgt";
    if (letter.size() != 1) {
        return std::nullopt;
    }
    const std::size_t power = letters.find(static_cast<char>(letter.front() | 0x20));
    if (power == std::string_view::npos) {
        return std::nullopt;
    }
    return std::int64_t{1} << 10 * (power + 1);
}

template <typename Refuse>
std::int64_t unit_named(std::string_view name, const Refuse& refuse_as) {
    for (const Unit& unit : units) {
        if (name == unit.name) {
            return unit.bytes;
        }
    }
    if (const auto multiple = binary_multiple(name)) {
        return *multiple;
    }
    const bool decimal =
        name.size() == 2 && name.ends_with('B') && binary_multiple(name.substr(0, 1)).has_value();
    refuse_as(decimal ? "its unit may mean powers of 1000 or of 1024" : "its unit is unknown");
    return 0;
}

template <typename Refuse>
std::int64_t multiple_named(std::string_view name, const Refuse& refuse_as) {
    if (name.empty()) {
        return 1;
    }
    const auto multiple = binary_multiple(name);
    if (!multiple) {
        refuse_as(name.ends_with('B') ? "elements are counted, not bytes"
                                      : "its suffix is none of k, M, G, T");
    }
    return *multiple;
}

// The whole part of an amount times its unit, with room for the fraction.
template <typename Refuse>
std::int64_t times_unit(std::int64_t whole, std::int64_t unit, const Refuse& refuse_as) {
    if (whole > (largest - (unit - 1)) / unit) {
        refuse_as("it does not fit 63 bits");
    }
    return whole * unit;
}

Seconds read_clock(clockid_t clock) {
    timespec time{};
    check(clock_gettime(clock, &time) == 0, "the system lacks a clock");
    return {static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

}  // namespace

Seconds now() {
    return read_clock(CLOCK_MONOTONIC);
}

Seconds process_cpu_time() {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

Bytes parse_bytes(std::string_view text, Bytes unit) {
    const auto refuse_as = [text](std::string_view why) { refuse_bytes(text, why); };
    std::string_view rest = text;
    const Amount amount = take_amount(rest, refuse_as);
    // One space may stand between number and unit, none at the end.
    if (rest.size() > 1 && rest.starts_with(' ')) {
        rest.remove_prefix(1);
    }
    const std::int64_t multiple = rest.empty() ? unit.value : unit_named(rest, refuse_as);
    if (amount.fraction != 0 && multiple == 1) {
        refuse_as("it is not a whole number of bytes");
    }
    // Less than one unit, even if the fraction's digits round up to 1.
    const auto part = static_cast<std::int64_t>(amount.fraction * static_cast<double>(multiple));
    return {times_unit(amount.whole, multiple, refuse_as) + std::min(part, multiple - 1)};
}

std::int64_t parse_elements(std::string_view text) {
    const auto refuse_as = [text](std::string_view why) { refuse_elements(text, why); };
    std::string_view rest = text;
    const Amount amount = take_amount(rest, refuse_as);
    const std::int64_t multiple = multiple_named(rest, refuse_as);
    const double part = amount.fraction * static_cast<double>(multiple);
    if (part != std::floor(part) || amount.fraction >= 1) {
        refuse_as("it is not a whole number");
    }
    return times_unit(amount.whole, multiple, refuse_as) + static_cast<std::int64_t>(part);
}

std::int64_t parse_count(std::string_view text) {
    const auto refuse_as = [text](std::string_view why) { refuse_count(text, why); };
    std::string_view rest = text;
    const std::int64_t value = take_count(rest, refuse_as);
    if (!rest.empty()) {
        refuse_as("text follows the number");
    }
    return value;
}

std::string to_string(Bytes bytes) {
    const double magnitude = std::abs(static_cast<double>(bytes.value));
    const Unit* unit = &units.front();
    for (const Unit& candidate : units) {
        if (magnitude >= static_cast<double>(candidate.bytes)) {
            unit = &candidate;
        }
    }
    if (bytes.value % unit->bytes == 0) {
        return fmt::format("{} {}", bytes.value / unit->bytes, unit->name);
    }
    const double amount = static_cast<double>(bytes.value) / static_cast<double>(unit->bytes);
    // From 1000 to 1023 units, three digits would come out as a power of ten.
    if (std::abs(amount) >= 999.5) {
        return fmt::format("{:.0f} {}", 10 * std::round(amount / 10), unit->name);
    }
    return fmt::format("{:.3g} {}", amount, unit->name);
}

std::string to_exact_string(Bytes bytes) {
    constexpr std::array<std::string_view, 4> names{"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    std::int64_t count = bytes.value;
    while (unit + 1 < names.size() && count > 0 && count % 1024 == 0) {
        count /= 1024;
        ++unit;
    }
    return fmt::format("{}{}", count, names[unit]);
}

std::string to_string(Seconds seconds) {
    if (!std::isfinite(seconds.value) || seconds.value == 0) {
        return fmt::format("{} s", seconds.value);
    }
    if (std::abs(seconds.value) >= 999.5) {
        return fmt::format("{:.0f} s", seconds.value);
    }
    constexpr std::array<std::string_view, 4> names = {"s", "ms", "us", "ns"};
    // Rounded to three digits first, so that 999.9 us becomes "1.00 ms".
    const std::string rounded = fmt::format("{:.2e}", seconds.value);
    const std::size_t mark = rounded.find('e');
    const int exponent = std::stoi(rounded.substr(mark + 1));
    const int thousands = std::clamp(exponent >= 0 ? 0 : (2 - exponent) / 3, 0, 3);
    const int shift = exponent + 3 * thousands;
    double mantissa = 0;
    std::from_chars(rounded.data(), rounded.data() + mark, mantissa);
    return fmt::format("{:.{}f} {}", mantissa * std::pow(10.0, shift), std::clamp(2 - shift, 0, 2),
                       names[static_cast<std::size_t>(thousands)]);
}

}  // namespace quartet
