#include "fft/verify.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "core/block_range.hpp"
#include "core/check.hpp"
#include "core/data_source.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

/// A sum that keeps what its additions round off (Neumaier).
class CompensatedSum {
  public:
    void add(double value) {
        const double sum = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0;
    double lost_ = 0;
};

/// A compensated sum of complex numbers.
struct ComplexSum {
    CompensatedSum re;
    CompensatedSum im;
    void add(const Point& value) {
        re.add(value.real());
        im.add(value.imag());
    }
    [[nodiscard]] Point value() const { return {re.value(), im.value()}; }
};

namespace {

using Row = CheckRow;

// Puts real and imaginary parts apart, and zeros after them up to a whole number of lanes.
void split(std::span<const Point> points, Row& row) {
    for (std::size_t j = 0; j < points.size(); ++j) {
        row.re[j] = points[j].real();
        row.im[j] = points[j].imag();
    }
    for (std::size_t j = points.size(); j % Row::lanes != 0; ++j) {
        row.re[j] = 0;
        row.im[j] = 0;
    }
}

// Calls use(thread, x, index, count) for `count` adjacent elements x of a row of the array, the
// first of which has that index (IndexOrder); together they are the array. Each thread goes through
// its part of a piece in order. Throws Failure if the pieces are not this rank's array.
template <typename Use>
void for_each_row(const ReadPieces& array, const IndexOrder& order, int threads, Use use) {
    constexpr std::int64_t width = Row::width;
    const std::int64_t in_row = divide_up(order.columns, width);  // segments of at most that width
    const auto segment_of = [&](std::int64_t element) {
        return element / order.columns * in_row + element % order.columns / width;
    };
    std::int64_t done = 0;
    array([&](std::int64_t first, std::span<const Point> piece) {
        const std::int64_t end = first + std::ssize(piece);
        check(first == done && end <= order.size(), "check: a piece beyond this rank's array");
        done = end;
        if (piece.empty()) {
            return;
        }
        const std::int64_t first_segment = segment_of(first);
        const std::int64_t count = segment_of(end - 1) + 1 - first_segment;
        system::parallel_parts(threads, [&](int thread) {
            const Range mine = block_range(count, threads, thread);
            for (std::int64_t number = mine.begin; number < mine.end; ++number) {
                // What the piece has of the segment.
                const std::int64_t row = (first_segment + number) / in_row;
                const std::int64_t column = (first_segment + number) % in_row * width;
                const std::int64_t whole = row * order.columns + column;
                const Range part{std::max(whole, first),
                                 std::min(whole + std::min(width, order.columns - column), end)};
                Row x;
                split(piece.subspan(static_cast<std::size_t>(part.begin - first),
                                    static_cast<std::size_t>(part.size())),
                      x);
                use(thread, x, order.index(row, column + part.begin - whole), part.size());
            }
        });
    });
    check(done == order.size(), "check: not all of this rank's array");
}

// sum_j a_j b_j
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

// The sums of a_j b_j over j = 0, 1, .., lanes - 1 mod lanes.
std::array<Point, Row::lanes> dots(const Row& a, const Row& b, std::int64_t count) {
    constexpr std::size_t lanes = Row::lanes;
    alignas(64) std::array<double, lanes> re{};
    alignas(64) std::array<double, lanes> im{};
    for (std::size_t j = 0; j < static_cast<std::size_t>(count); j += lanes) {
#pragma omp simd
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const std::size_t at = j + lane;
            re[lane] += a.re[at] * b.re[at] - a.im[at] * b.im[at];
            im[lane] += a.re[at] * b.im[at] + a.im[at] * b.re[at];
        }
    }
    std::array<Point, lanes> sums;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums[lane] = {re[lane], im[lane]};
    }
    return sums;
}

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

// Each rank's sums, added in rank order.
std::vector<Point> joined(std::span<const ComplexSum> mine, const comm::Communicator& world) {
    std::vector<Point> all;
    for (const ComplexSum& sum : mine) {
        all.push_back(sum.value());
    }
    world.sum(std::span(reinterpret_cast<double*>(all.data()), 2 * all.size()));
    return all;
}

}  // namespace

TransformCheck::TransformCheck(device::Arena& arena, std::int64_t points, std::uint64_t seed,
                               int threads, const comm::Communicator& world)
    : points_(points),
      seed_(seed),
      threads_(threads),
      world_(world),
      roots_(arena, points),
      half_roots_(arena, 2 * points),
      bins_of_pass_(std::gcd(points, most_bins_of_pass)),
      twiddles_(arena.make<Row>(passes(), device::MemoryKind::host)),
      angles_(arena.make<Row>(1, device::MemoryKind::host)),
      weights_(arena.make<Row>(1, device::MemoryKind::host)) {}

void TransformCheck::choose_weight_and_bins() {
    const double uniform = DataSource(seed_, "fft/check").uniform_double(0);
    auto g = static_cast<std::int64_t>(uniform * static_cast<double>(points_));
    while (std::gcd(2 * g + 1, points_) != 1) {
        g = (g + 1) % points_;
    }
    odd_ = static_cast<std::uint64_t>(2 * g + 1);
    const DataSource source(seed_, "fft/bins");
    const std::int64_t distance = points_ / bins_of_pass_;
    for (int pass = 0; pass < passes(); ++pass) {
        const Range range = block_range(distance, passes(), pass);
        const auto offset = static_cast<std::int64_t>(source.uniform_double(pass) *
                                                      static_cast<double>(range.size()));
        seeded_.push_back(range.begin + offset);
        for (std::int64_t bin = seeded_.back(); bin < points_; bin += distance) {
            positions_.push_back(output_.position(bin).value_or(-1));
        }
    }
}

void TransformCheck::make_tables() {
    const auto n = static_cast<std::uint64_t>(points_);
    const auto in_step = static_cast<std::uint64_t>(input_.column_step) % (2 * n);
    const auto out_step = static_cast<std::uint64_t>(output_.column_step) % (2 * n);
    const std::span twiddles = twiddles_.span();
    Row& angles = angles_.span().front();
    Row& weights = weights_.span().front();
    for (std::size_t j = 0; j < Row::width; ++j) {
        const std::uint64_t offset = multiply_modulo(in_step, j, 2 * n);
        for (std::size_t pass = 0; pass < seeded_.size(); ++pass) {
            const Point twiddle =
                roots_.of_product(static_cast<std::uint64_t>(seeded_[pass]), offset % n);
            twiddles[pass].re[j] = twiddle.real();
            twiddles[pass].im[j] = twiddle.imag();
        }
        const std::complex<long double> angle = root_of_unity(offset, 2 * n);
        angles.re[j] = static_cast<double>(angle.real());
        angles.im[j] = static_cast<double>(-angle.imag());
        const Point weight =
            half_roots_.of_product(multiply_modulo(odd_, out_step, 2 * n), j % (2 * n));
        weights.re[j] = weight.real();
        weights.im[j] = -weight.imag();
    }
}

void TransformCheck::expect(const IndexOrder& input_order, const IndexOrder& output_order,
                            const ReadPieces& input) {
    input_ = input_order;
    output_ = output_order;
    choose_weight_and_bins();
    make_tables();
    // The sum of squares, the checksum, then each pass's residues.
    const std::size_t sums = 2 + positions_.size();
    const auto residues = static_cast<std::size_t>(bins_of_pass_);
    std::vector<ComplexSum> partial(static_cast<std::size_t>(threads_) * sums);
    for_each_row(input, input_, threads_,
                 [&](int thread, const Row& x, std::int64_t index, std::int64_t count) {
                     const auto mine =
                         std::span(partial).subspan(static_cast<std::size_t>(thread) * sums, sums);
                     mine[0].re.add(squares(x, count));
                     mine[1].add(series(x, index, count));
                     for (std::size_t pass = 0; pass < seeded_.size(); ++pass) {
                         add_residues(x, pass, index, count,
                                      mine.subspan(2 + pass * residues, residues));
                     }
                 });
    std::vector<ComplexSum> mine(sums);
    for (std::size_t index = 0; index < partial.size(); ++index) {
        mine[index % sums].add(partial[index].value());
    }
    const std::vector<Point> all = joined(mine, world_);
    norm_ = std::sqrt(all[0].real());
    expected_checksum_ = all[1];
    expected_bins_ = bins_of(std::span(all).subspan(2));
}

void TransformCheck::add_residues(const Row& x, std::size_t pass, std::int64_t index,
                                  std::int64_t count, std::span<ComplexSum> sums) const {
    const Point twiddle = roots_.of_product(static_cast<std::uint64_t>(seeded_[pass]),
                                            static_cast<std::uint64_t>(index));
    const std::int64_t step = input_.column_step % bins_of_pass_;
    std::int64_t residue = index % bins_of_pass_;
    for (const Point& sum : dots(x, twiddles_.span()[pass], count)) {
        sums[static_cast<std::size_t>(residue)].add(product(sum, twiddle));
        residue = (residue + step) % bins_of_pass_;
    }
}

std::vector<Point> TransformCheck::bins_of(std::span<const Point> residues) const {
    std::vector<Point> bins;
    const auto distance = static_cast<std::uint64_t>(points_ / bins_of_pass_);
    const auto count = static_cast<std::uint64_t>(bins_of_pass_);
    for (std::size_t first = 0; first < residues.size(); first += count) {
        for (std::uint64_t j = 0; j < count; ++j) {
            ComplexSum bin;
            for (std::uint64_t r = 0; r < count; ++r) {
                bin.add(product(residues[first + r], roots_(j * r % count * distance)));
            }
            bins.push_back(bin.value());
        }
    }
    return bins;
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
        const double* far_cos = angles_.span().front().re.data();
        const double* far_sin = angles_.span().front().im.data();
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

bench::Check TransformCheck::verify(const ReadPieces& output) const {
    std::vector<ComplexSum> partial(static_cast<std::size_t>(threads_));
    std::vector<ComplexSum> mine(1 + positions_.size());
    const ReadPieces with_bins = [&](const UsePiece& use) {
        output([&](std::int64_t first, std::span<const Point> piece) {
            use(first, piece);
            for (std::size_t bin = 0; bin < positions_.size(); ++bin) {
                const std::int64_t at = positions_[bin] - first;
                if (at >= 0 && at < std::ssize(piece)) {
                    mine[1 + bin].add(piece[static_cast<std::size_t>(at)]);
                }
            }
        });
    };
    for_each_row(with_bins, output_, threads_,
                 [&](int thread, const Row& x, std::int64_t index, std::int64_t count) {
                     const Point first =
                         half_roots_.of_product(odd_, static_cast<std::uint64_t>(index));
                     partial[static_cast<std::size_t>(thread)].add(
                         product(dot(x, weights_.span().front(), count), std::conj(first)));
                 });
    for (const ComplexSum& sum : partial) {
        mine[0].add(sum.value());
    }
    const std::vector<Point> found = joined(mine, world_);  // the checksum, then the bins
    const double scale = norm_ > 0 ? norm_ : 1;
    const auto n = static_cast<double>(points_);
    double error = std::abs(found[0] - expected_checksum_) / (std::sqrt(n) * scale);
    for (std::size_t bin = 0; bin < positions_.size() && !std::isnan(error); ++bin) {  // NaN stays
        const double of_bin = std::abs(found[1 + bin] - expected_bins_[bin]) / scale;
        error = of_bin <= error ? error : of_bin;
    }
    const double tolerance = 4 * std::numeric_limits<double>::epsilon() * (1 + std::log2(n));
    return {.passed = error <= tolerance, .error = error, .tolerance = tolerance};
}

}  // namespace quartet::fft
