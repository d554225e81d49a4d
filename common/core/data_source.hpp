#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string_view>

namespace quartet {

/// The elements of one named random array, as a pure function of (seed, name, index):
/// any rank can make any element, whatever the rank count. Philox4x32-10 (Salmon et al.,
/// "Parallel random numbers: as easy as 1, 2, 3", SC'11) keyed by the seed; the counter is
/// made of the element's block and of a 64-bit FNV-1a hash of the name.
///
/// A 32-bit element i is word i mod 4 of block i / 4. A 64-bit element i has word 2 (i mod 2) of
/// block i / 2 as its low half, and the next word as its high half. A uniform float is the upper 24
/// bits of a 32-bit element, a uniform double the upper 53 bits of a 64-bit element. The key is the
/// seed: its low half, then its high half. The counter is the block's index, then the hash, with
/// their halves in the same order. Indices are not negative.
class DataSource {
  public:
    /// Version of the mapping above, kept in manifests.
    static constexpr int generator_version = 1;

    DataSource(std::uint64_t seed, std::string_view name);

    /// What the generator's key and counter are made of, for a GPU that makes the same numbers.
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    [[nodiscard]] std::uint64_t name_hash() const { return name_hash_; }

    /// Uniform in [0, 1), a multiple of 2^-53.
    [[nodiscard]] double uniform_double(std::int64_t index) const;

    /// Fills out[k] with element first + k, one generator call per block. Uniform numbers are in
    /// [0, 1): floats are multiples of 2^-24, doubles of 2^-53.
    void fill_bits(std::span<std::uint32_t> out, std::int64_t first) const;
    void fill_uniform(std::span<float> out, std::int64_t first) const;
    void fill_uniform(std::span<double> out, std::int64_t first) const;
    /// Fills out[k] with the uniform doubles 2 (first + k step) and the next, each less 1/2.
    void fill_centred(std::span<std::complex<double>> out, std::int64_t first,
                      std::int64_t step) const;

  private:
    using Block = std::array<std::uint32_t, 4>;

    [[nodiscard]] Block block(std::uint64_t index) const;
    template <typename T, typename Split>
    void fill(std::span<T> out, std::int64_t first, Split split) const;

    std::uint64_t seed_;
    std::uint64_t name_hash_;
};

}  // namespace quartet
