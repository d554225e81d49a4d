#include "fft/problem/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/block_range.hpp"
#include "core/check.hpp"
#include "core/data_source.hpp"
#include "fft/problem/compensated_sum.hpp"
#include "fft/problem/stretches.hpp"

namespace quartet::fft {

namespace {

using Point = std::complex<double>;

// Written out: the operator of std::complex looks for infinities.
Point product(const Point& a, const Point& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <typename Row>
void split(std::span<const Point> points, Row& row) {
    for (std::size_t j = 0; j < points.size(); ++j) {
        row.re[j] = points[j].real();
        row.im[j] = points[j].imag();
    }
}

// sum_j a_j b_j
template <typename Row>
Point dot(const Row& a, const Row& b, std::int64_t count) {
    double re = 0;
    double im = 0;
    const double* a_re = a.re.data();
    const double* a_im = a.im.data();
    const double* b_re = b.re.data();
    const double* b_im = b.im.data();
#pragma omp simd reduction(+ : re, im)
    for (std::int64_t j = 0; j < count; ++j) {
        re += a_re[j] * b_re[j] - a_im[j] * b_im[j];
        im += a_re[j] * b_im[j] + a_im[j] * b_re[j];
    }
    return {re, im};
}

template <typename Row>
double squares(const Row& a, std::int64_t count) {
    double sum = 0;
    const double* re = a.re.data();
    const double* im = a.im.data();
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < count; ++j) {
        sum += re[j] * re[j] + im[j] * im[j];
    }
    return sum;
}

// All of an array that the CPU can touch.
ReadPieces in_one_piece(std::span<const Point> array) {
    return [array](const UsePiece& use) { use(0, array); };
}

// Counts what the pieces bring: a piece too many or too few would not be this rank's array.
class Coverage {
  public:
    explicit Coverage(std::int64_t size) : size_(size) {}
    Range next(std::int64_t first, std::span<const Point> piece) {
        check(first == done_ && std::ssize(piece) <= size_ - done_,
              "check: a piece beyond this rank's array");
        done_ += std::ssize(piece);
        return {first, done_};
    }
    void require_all() const { check(done_ == size_, "check: not all of this rank's array"); }

  private:
    std::int64_t size_;
    std::int64_t done_ = 0;
};

// Each rank's sums, added in rank order.
std::vector<Point> joined(std::span<const ComplexSum> mine, const comm::Communicator& world) {
    std::vector<double> values;
    for (const ComplexSum& sum : mine) {
        values.push_back(sum.value().real());
        values.push_back(sum.value().imag());
    }
    world.sum(values);
    std::vector<Point> all;
    for (std::size_t index = 0; index < mine.size(); ++index) {
        all.emplace_back(values[2 * index], values[2 * index + 1]);
    }
    return all;
}

}  // namespace

TransformCheck::TransformCheck(std::int64_t points, std::uint64_t seed, const IndexOrder& input,
                               const IndexOrder& output, int threads,
                               const comm::Communicator& world)
    : points_(points),
      input_(input),
      output_(output),
      threads_(threads),
      world_(world),
      roots_(points),
      half_roots_(2 * points) {
    choose_weight(seed);
    choose_bins(seed);
    make_tables();
}

void TransformCheck::choose_weight(std::uint64_t seed) {
    const double uniform = DataSource(seed, "fft/check").uniform_double(0);
    auto g = static_cast<std::int64_t>(uniform * static_cast<double>(points_));
    while (std::gcd(2 * g + 1, points_) != 1) {
        g = (g + 1) % points_;
    }
    odd_ = static_cast<std::uint64_t>(2 * g + 1);
}

void TransformCheck::choose_bins(std::uint64_t seed) {
    const DataSource source(seed, "fft/bins");
    const auto segments = static_cast<int>(std::min<std::int64_t>(most_bins, points_));
    for (int segment = 0; segment < segments; ++segment) {
        const Range range = block_range(points_, segments, segment);
        const auto offset = static_cast<std::int64_t>(source.uniform_double(segment) *
                                                      static_cast<double>(range.size()));
        bins_.push_back(range.begin + offset);
        positions_.push_back(output_.position(bins_.back()).value_or(-1));
    }
}

void TransformCheck::make_tables() {
    const auto n = static_cast<std::uint64_t>(points_);
    const auto in_step = static_cast<std::uint64_t>(input_.column_step) % (2 * n);
    const auto out_step = static_cast<std::uint64_t>(output_.column_step) % (2 * n);
    bin_twiddles_.resize(bins_.size());
    for (std::size_t j = 0; j < width; ++j) {
        const std::uint64_t offset = multiply_modulo(in_step, j, 2 * n);
        for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
            const Point twiddle =
                roots_.of_product(static_cast<std::uint64_t>(bins_[bin]), offset % n);
            bin_twiddles_[bin].re[j] = twiddle.real();
            bin_twiddles_[bin].im[j] = twiddle.imag();
        }
        const std::complex<long double> angle = root_of_unity(offset, 2 * n);
        angles_.re[j] = static_cast<double>(angle.real());
        angles_.im[j] = static_cast<double>(-angle.imag());
        const Point weight =
            half_roots_.of_product(multiply_modulo(odd_, out_step, 2 * n), j % (2 * n));
        weights_.re[j] = weight.real();
        weights_.im[j] = -weight.imag();
    }
}

Point TransformCheck::weight(std::int64_t k) const {
    return std::conj(half_roots_.of_product(odd_, static_cast<std::uint64_t>(k)));
}

void TransformCheck::expect(std::span<const Point> input) {
    expect(in_one_piece(input));
}

void TransformCheck::expect(const ReadPieces& input) {
    // The sum of squares, the checksum, then the bins.
    const std::size_t sums = 2 + bins_.size();
    std::vector<ComplexSum> partial(static_cast<std::size_t>(threads_) * sums);
    Coverage coverage(input_.size());
    input([&](std::int64_t first, std::span<const Point> piece) {
        const Range range = coverage.next(first, piece);
        for_each_stretch({input_, width}, range, threads_, [&](int thread, const Stretch& stretch) {
            ComplexSum* mine = partial.data() + static_cast<std::size_t>(thread) * sums;
            Row x;
            split(part_of(piece, stretch), x);
            mine[0].re.add(squares(x, stretch.count));
            mine[1].add(series(x, stretch.index, stretch.count));
            for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
                const Point twiddle = roots_.of_product(static_cast<std::uint64_t>(bins_[bin]),
                                                        static_cast<std::uint64_t>(stretch.index));
                mine[2 + bin].add(product(dot(x, bin_twiddles_[bin], stretch.count), twiddle));
            }
        });
    });
    coverage.require_all();
    std::vector<ComplexSum> mine(sums);
    for (std::size_t index = 0; index < partial.size(); ++index) {
        mine[index % sums].add(partial[index].value());
    }
    const std::vector<Point> all = joined(mine, world_);
    norm_ = std::sqrt(all[0].real());
    expected_checksum_ = all[1];
    expected_bins_.assign(all.begin() + 2, all.end());
}

// The angle pi (n - g - 1/2) / N is pi m / (2 N) with an odd m, taken modulo 2 N. It is built up
// from the nearer of its zeros, 0 and pi, by additions of angles of one sign: then nothing cancels,
// and cotangents of the smallest angles, which outweigh all others, are as exact as any.
Point TransformCheck::series(const Row& x, std::int64_t first, std::int64_t count) const {
    const auto n = static_cast<std::uint64_t>(points_);
    const auto step = static_cast<std::uint64_t>(input_.column_step);
    const auto twice = [&](std::int64_t index) { return 2 * static_cast<std::uint64_t>(index); };
    std::uint64_t m = (twice(first) + 2 * n - odd_) % (2 * n);
    double re = 0;
    double im = 0;
    for (std::int64_t done = 0; done < count;) {
        const bool lower = m < n;
        const std::uint64_t end = lower ? n : 2 * n;
        const auto room = static_cast<std::int64_t>((end - m + 2 * step - 1) / (2 * step));
        const std::int64_t piece = std::min(count - done, room);
        const auto last = static_cast<std::uint64_t>(piece - 1);
        // From 0 upwards, or from pi downwards: then the last of the piece is the nearest.
        const std::uint64_t nearest = lower ? m : 2 * n - (m + 2 * step * last);
        const std::complex<long double> root = root_of_unity(nearest, 4 * n);
        const auto cos = static_cast<double>(root.real());
        const auto sin = static_cast<double>(-root.imag());
        const double* far_cos = angles_.re.data();
        const double* far_sin = angles_.im.data();
        const double* x_re = x.re.data() + done;
        const double* x_im = x.im.data() + done;
        const std::int64_t origin = lower ? 0 : piece - 1;
        const std::int64_t direction = lower ? 1 : -1;
        const double sign = lower ? 1 : -1;
        double piece_re = 0;
        double piece_im = 0;
#pragma omp simd reduction(+ : piece_re, piece_im)
        for (std::int64_t j = 0; j < piece; ++j) {
            const std::int64_t at = origin + direction * j;
            const double cotangent = sign * (cos * far_cos[j] - sin * far_sin[j]) /
                                     (sin * far_cos[j] + cos * far_sin[j]);
            piece_re += x_re[at] + x_im[at] * cotangent;
            piece_im += x_im[at] - x_re[at] * cotangent;
        }
        re += piece_re;
        im += piece_im;
        m = (m + 2 * step * static_cast<std::uint64_t>(piece)) % (2 * n);
        done += piece;
    }
    return {re, im};
}

bench::Check TransformCheck::verify(std::span<const Point> output) const {
    return verify(in_one_piece(output));
}

bench::Check TransformCheck::verify(const ReadPieces& output) const {
    std::vector<ComplexSum> partial(static_cast<std::size_t>(threads_));
    std::vector<ComplexSum> mine(1 + bins_.size());
    Coverage coverage(output_.size());
    output([&](std::int64_t first, std::span<const Point> piece) {
        const Range range = coverage.next(first, piece);
        for_each_stretch({output_, width}, range, threads_,
                         [&](int thread, const Stretch& stretch) {
                             Row x;
                             split(part_of(piece, stretch), x);
                             partial[static_cast<std::size_t>(thread)].add(
                                 product(dot(x, weights_, stretch.count), weight(stretch.index)));
                         });
        for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
            if (positions_[bin] >= range.begin && positions_[bin] < range.end) {
                mine[1 + bin].add(piece[static_cast<std::size_t>(positions_[bin] - first)]);
            }
        }
    });
    coverage.require_all();
    for (const ComplexSum& sum : partial) {
        mine[0].add(sum.value());
    }
    return compare(joined(mine, world_));
}

// The checksum, then the bins.
bench::Check TransformCheck::compare(std::span<const Point> found) const {
    const double scale = norm_ > 0 ? norm_ : 1;
    const auto n = static_cast<double>(points_);
    double error = std::abs(found[0] - expected_checksum_) / (std::sqrt(n) * scale);
    for (std::size_t bin = 0; bin < bins_.size() && !std::isnan(error); ++bin) {  // NaN stays
        const double of_bin = std::abs(found[1 + bin] - expected_bins_[bin]) / scale;
        error = of_bin <= error ? error : of_bin;
    }
    const double tolerance = 4 * std::numeric_limits<double>::epsilon() * (1 + std::log2(n));
    return {.passed = error <= tolerance, .error = error, .tolerance = tolerance};
}

Bytes TransformCheck::memory(std::int64_t points, int threads) {
    const std::int64_t partial = (most_bins + 2) * static_cast<std::int64_t>(sizeof(ComplexSum));
    return {RootsOfUnity::table_bytes(points) + RootsOfUnity::table_bytes(2 * points) +
            (most_bins + 2) * static_cast<std::int64_t>(sizeof(Row)) + (threads + 1) * partial};
}

}  // namespace quartet::fft
