#include "core/data_source.hpp"

#include <Random123/philox.h>

#include <cstddef>

#include "core/check.hpp"

namespace quartet {

namespace {

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char character : text) {
        hash ^= static_cast<unsigned char>(character);
        hash *= 0x100000001b3;
    }
    return hash;
}

std::uint32_t low_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

// Both conversions pass through signed integers: they are small enough, and baseline vector
// instructions convert only signed ones.
float to_float(std::uint32_t bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits >> 8)) * 0x1p-24F;
}

double to_double(std::uint32_t low, std::uint32_t high) {
    const std::uint64_t bits = std::uint64_t{high} << 32 | low;
    return static_cast<double>(static_cast<std::int64_t>(bits >> 11)) * 0x1p-53;
}

// How one generator block splits into elements of each type. A lambda has a type of its own: its
// call is inlined. A call by a pointer may not be.
constexpr auto as_bits = [](const std::array<std::uint32_t, 4>& words) { return words; };
constexpr auto as_floats = [](const std::array<std::uint32_t, 4>& words) {
    return std::array{to_float(words[0]), to_float(words[1]), to_float(words[2]),
                      to_float(words[3])};
};
constexpr auto as_doubles = [](const std::array<std::uint32_t, 4>& words) {
    return std::array{to_double(words[0], words[1]), to_double(words[2], words[3])};
};

// The block of an element, and its position there; a block has `width` elements.
struct Place {
    std::uint64_t block;
    std::size_t position;
};

Place place(std::int64_t index, std::size_t width) {
    check(index >= 0, "negative index of a random element");
    const auto element = static_cast<std::uint64_t>(index);
    return {element / width, static_cast<std::size_t>(element % width)};
}

}  // namespace

DataSource::DataSource(std::uint64_t seed, std::string_view name)
    : seed_(seed), name_hash_(fnv1a(name)) {}

inline DataSource::Block DataSource::block(std::uint64_t index) const {
    using Generator = r123::Philox4x32_R<10>;
    const Generator::ctr_type counter{
        {low_half(index), high_half(index), low_half(name_hash_), high_half(name_hash_)}};
    const Generator::key_type key{{low_half(seed_), high_half(seed_)}};
    const Generator::ctr_type words = Generator()(counter, key);
    return {words.v[0], words.v[1], words.v[2], words.v[3]};
}

double DataSource::uniform_double(std::int64_t index) const {
    const Place at = place(index, 2);
    return as_doubles(block(at.block))[at.position];
}

template <typename T, typename Split>
void DataSource::fill(std::span<T> out, std::int64_t first, Split split) const {
    constexpr std::size_t width = sizeof(Block) / sizeof(T);
    Place next = place(first, width);
    std::size_t done = 0;
    // The elements of a block that is only partly inside the range.
    const auto partial = [&] {
        const auto elements = split(block(next.block++));
        while (next.position < width && done < out.size()) {
            out[done++] = elements[next.position++];
        }
        next.position = 0;
    };
    if (next.position != 0) {
        partial();
    }
    // The compiler vectorises this loop: blocks are independent and written whole.
    const std::size_t whole = (out.size() - done) / width;
    T* target = out.data() + done;
    for (std::size_t k = 0; k < whole; ++k) {
        const auto elements = split(block(next.block + k));
        for (std::size_t j = 0; j < width; ++j) {
            target[k * width + j] = elements[j];
        }
    }
    next.block += whole;
    done += whole * width;
    if (done < out.size()) {
        partial();
    }
}

void DataSource::fill_bits(std::span<std::uint32_t> out, std::int64_t first) const {
    fill(out, first, as_bits);
}

void DataSource::fill_uniform(std::span<float> out, std::int64_t first) const {
    fill(out, first, as_floats);
}

void DataSource::fill_uniform(std::span<double> out, std::int64_t first) const {
    fill(out, first, as_doubles);
}

void DataSource::fill_centred(std::span<std::complex<double>> out, std::int64_t first,
                              std::int64_t step) const {
    check(first >= 0 && step >= 0, "negative index of a random element");
    const auto begin = static_cast<std::uint64_t>(first);
    const auto distance = static_cast<std::uint64_t>(step);
    for (std::size_t k = 0; k < out.size(); ++k) {
        const auto pair = as_doubles(block(begin + k * distance));
        out[k] = {pair[0] - 0.5, pair[1] - 0.5};
    }
}

}  // namespace quartet
