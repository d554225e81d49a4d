#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace quartet {

/// Arithmetic on counts. A result that does not fit becomes the largest or the least value of 64
/// bits: a size that is too large stays too large in comparisons.

constexpr std::int64_t saturated(bool is_negative) {
    using Limits = std::numeric_limits<std::int64_t>;
    return is_negative ? Limits::min() : Limits::max();
}

constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? saturated(a < 0) : sum;
}

constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? saturated((a < 0) != (b < 0)) : product;
}

constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? saturated(a < 0) : difference;
}

/// A duration or a point on a rank's steady clock, in seconds.
struct Seconds {
    double value = 0;
    auto operator<=>(const Seconds&) const = default;
};

/// A size of memory, traffic or files in bytes; signed, so that differences are safe. Its
/// arithmetic saturates at the largest and the least value.
struct Bytes {
    std::int64_t value = 0;
    auto operator<=>(const Bytes&) const = default;
};

/// A number of floating-point operations; a double, since 2 N^3 outgrows 64-bit integers.
struct Flops {
    double value = 0;
    auto operator<=>(const Flops&) const = default;
};

constexpr Seconds operator+(Seconds a, Seconds b) {
    return {a.value + b.value};
}
constexpr Seconds operator-(Seconds a, Seconds b) {
    return {a.value - b.value};
}
constexpr Seconds operator*(double factor, Seconds a) {
    return {factor * a.value};
}
constexpr Seconds operator/(Seconds a, double divisor) {
    return {a.value / divisor};
}
constexpr double operator/(Seconds a, Seconds b) {
    return a.value / b.value;
}
constexpr Bytes operator+(Bytes a, Bytes b) {
    return {saturated_sum(a.value, b.value)};
}
constexpr Bytes operator-(Bytes a, Bytes b) {
    return {saturated_difference(a.value, b.value)};
}
constexpr Bytes operator*(std::int64_t factor, Bytes a) {
    return {saturated_product(factor, a.value)};
}

constexpr Bytes kibibytes(std::int64_t count) {
    return {saturated_product(count, std::int64_t{1} << 10)};
}
constexpr Bytes mebibytes(std::int64_t count) {
    return {saturated_product(count, std::int64_t{1} << 20)};
}
constexpr Bytes gibibytes(std::int64_t count) {
    return {saturated_product(count, std::int64_t{1} << 30)};
}

/// Bytes that `count` elements of T take.
template <typename T>
constexpr Bytes bytes_of(std::int64_t count) {
    return {saturated_product(count, sizeof(T))};
}

/// Now, on this process's steady clock (its origin is arbitrary).
Seconds now();

/// Processor time used so far by all threads of this process.
Seconds process_cpu_time();

/// Reads "4096", "2^24", "1e6", "16KiB", "64k", "1.5 GiB". Units are B, KiB, MiB, GiB and TiB, or
/// k, M, G and T in capitals or small letters, which mean the same powers of 1024. A number without
/// a unit is multiplied by `unit`. A fraction of a unit is rounded down to a whole byte. Throws
/// UsageError for anything else: signs, other units (KB is 1000 or 1024), fractions of a byte,
/// trailing text, overflow.
Bytes parse_bytes(std::string_view text, Bytes unit = {1});

/// Reads a number of elements: "8192", "2^24", "1e4" (10000), "8k" (8192), "1.5M"; k, M, G and T
/// are powers of 1024. Throws UsageError for anything else, units of bytes and fractions of an
/// element included.
std::int64_t parse_elements(std::string_view text);

/// Reads "8192" or "2^24". Throws UsageError for anything else.
std::int64_t parse_count(std::string_view text);

/// "2 MiB", "1.5 GiB", "513 B": the largest binary unit, up to TiB, at most three
/// significant digits unless the value is a whole number of that unit.
std::string to_string(Bytes bytes);

/// "2MiB", "1536KiB", "513B": the largest binary unit, up to GiB, that divides the value
/// evenly; unlike to_string, different sizes have different texts.
std::string to_exact_string(Bytes bytes);

}  // namespace quartet
