#include "core/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "core/check.hpp"

namespace quartet {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units{
    {{"B", 1},
     {"KiB", std::int64_t{1} << 10},
     {"MiB", std::int64_t{1} << 20},
     {"GiB", std::int64_t{1} << 30},
     {"TiB", std::int64_t{1} << 40}}};

/// What messages call a number, and how they say to write it.
struct Kind {
    std::string_view name;
    std::string_view remedy;
};
constexpr Kind count_kind{"number", "write digits such as 8192, or 2^k"};
constexpr Kind bytes_kind{
    "size", "write bytes such as 4096, or 2^k, or a number with KiB, MiB, GiB or TiB"};
constexpr Kind elements_kind{"number of elements", "write 8192, 2^13, 8k (which is 8192) or 1e4"};

// "k" is 2^10, "M" 2^20 and so on, as it is for memory and for lengths of transforms.
std::optional<std::int64_t> binary_multiple(std::string_view letter) {
    const std::size_t power =
        letter.size() == 1 ? std::string_view("kmgt").find(static_cast<char>(letter.front() | 0x20))
                           : std::string_view::npos;
    return power == std::string_view::npos ? std::nullopt
                                           : std::optional(std::int64_t{1} << 10 * (power + 1));
}

/// Reads the number that a text begins with; suffix() is the rest.
class Reader {
  public:
    Reader(std::string_view text, Kind kind) : text_(text), rest_(text), kind_(kind) { read(); }

    [[noreturn]] void refuse(std::string_view why) const {
        throw UsageError(
            fmt::format("bad {} {} ({}): {}", kind_.name, quotation(text_), why, kind_.remedy));
    }
    [[nodiscard]] std::string_view suffix() const { return rest_; }
    [[nodiscard]] bool is_whole() const { return !decimal_; }
    /// The number times `multiple`, rounded down if `may_round`.
    [[nodiscard]] std::int64_t times(std::int64_t multiple, bool may_round) const {
        if (!decimal_) {
            if (whole_ > largest / multiple) {
                refuse("it does not fit 63 bits");
            }
            return whole_ * multiple;
        }
        const double product = *decimal_ * static_cast<double>(multiple);
        if (!(product < static_cast<double>(largest))) {
            refuse("it does not fit 63 bits");
        }
        if (product != std::floor(product) && !may_round) {
            refuse("it is not a whole number");
        }
        return static_cast<std::int64_t>(product);
    }

  private:
    // "2^13" and "8192" exactly; "1.5" and "1e4" as floating-point numbers.
    void read() {
        if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
            refuse("it does not begin with a number");
        }
        const bool is_power = rest_.starts_with("2^");
        rest_.remove_prefix(is_power ? 2 : 0);
        take(whole_);
        if (is_power) {
            if (whole_ < 0 || whole_ > 62) {
                refuse("it does not fit 63 bits");
            }
            whole_ = std::int64_t{1} << whole_;
        } else if (rest_.starts_with('.') || rest_.starts_with('e') || rest_.starts_with('E')) {
            rest_ = text_;
            take(decimal_.emplace());
        }
    }
    template <typename Number>
    void take(Number& number) {
        const auto [end, error] =
            std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
        if (error != std::errc{}) {
            refuse(error == std::errc::result_out_of_range ? "it does not fit 63 bits"
                                                           : "it does not begin with a number");
        }
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    }

    std::string_view text_;
    std::string_view rest_;
    Kind kind_;
    std::int64_t whole_ = 0;
    std::optional<double> decimal_;
};

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
    const Reader number(text, bytes_kind);
    std::string_view suffix = number.suffix();
    if (suffix.size() > 1 && suffix.starts_with(' ')) {
        suffix.remove_prefix(1);
    }
    const auto named = std::ranges::find(units, suffix, [](const auto& one) { return one.first; });
    std::optional<std::int64_t> multiple =
        named == units.end() ? binary_multiple(suffix) : std::optional(named->second);
    if (suffix.empty()) {
        multiple = unit.value;
    }
    if (!multiple) {
        const bool is_decimal =
            suffix.size() == 2 && suffix.ends_with('B') && binary_multiple(suffix.substr(0, 1));
        number.refuse(is_decimal ? "its unit may mean powers of 1000 or of 1024"
                                 : "its unit is unknown");
    }
    return {number.times(*multiple, *multiple > 1)};
}

std::int64_t parse_elements(std::string_view text) {
    const Reader number(text, elements_kind);
    const auto multiple =
        number.suffix().empty() ? std::optional<std::int64_t>(1) : binary_multiple(number.suffix());
    if (!multiple) {
        number.refuse(number.suffix().ends_with('B') ? "elements are counted, not bytes"
                                                     : "its suffix is none of k, M, G, T");
    }
    return number.times(*multiple, false);
}

std::int64_t parse_count(std::string_view text) {
    const Reader number(text, count_kind);
    if (!number.suffix().empty() || !number.is_whole()) {
        number.refuse("text follows the number");
    }
    return number.times(1, false);
}

std::string to_string(Bytes bytes) {
    const double magnitude = std::abs(static_cast<double>(bytes.value));
    auto [name, size] = units.front();
    for (const auto& [larger, bytes_of_it] : units) {
        if (magnitude >= static_cast<double>(bytes_of_it)) {
            name = larger;
            size = bytes_of_it;
        }
    }
    if (bytes.value % size == 0) {
        return fmt::format("{} {}", bytes.value / size, name);
    }
    const double amount = static_cast<double>(bytes.value) / static_cast<double>(size);
    // From 1000 to 1023 units, .3g would print an exponent: 1.02e+03.
    if (std::abs(amount) >= 999.5) {
        return fmt::format("{:.0f} {}", 10 * std::round(amount / 10), name);
    }
    return fmt::format("{:.3g} {}", amount, name);
}

std::string to_exact_string(Bytes bytes) {
    std::size_t unit = 0;
    std::int64_t count = bytes.value;
    while (unit + 2 < units.size() && count > 0 && count % 1024 == 0) {
        count /= 1024;
        ++unit;
    }
    return fmt::format("{}{}", count, units[unit].first);
}

}  // namespace quartet
