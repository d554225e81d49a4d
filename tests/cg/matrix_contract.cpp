#include <algorithm>
#include <cmath>
#include <limits>

#include "cg/matrix.hpp"
#include "device/contract/contract.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

using device::Buffer;
using device::View;

class MatrixContract : public device::DeviceContract {
  protected:
    template <typename Part>
    std::unique_ptr<MatrixShare> matrix_of(const Part& part) {
        device::Arena arena(*device, device::Arena::Mode::allocate);
        return make_matrix(arena, part);
    }
};

namespace {

constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

/// A symmetric matrix whose elements depend on their place: one that is misplaced shows.
double element_of(std::int64_t row, std::int64_t column) {
    const std::int64_t low = std::min(row, column);
    const std::int64_t high = std::max(row, column);
    return static_cast<double>((7 * low + 13 * high) % 101) / 101 - 0.5;
}

void read_row(std::int64_t row, std::int64_t first_column, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = element_of(row, first_column + static_cast<std::int64_t>(i));
}

/// Rows of A x in long double, and of |A| |x|: what the rounding is relative to.
struct Product {
    std::vector<long double> value;
    std::vector<long double> magnitude;
};

Product product(const RowBlock& block, const std::vector<double>& x) {
    Product result;
    for (std::int64_t row = block.first_row; row < block.first_row + block.rows; ++row) {
        long double value = 0;
        long double magnitude = 0;
        for (std::int64_t column = 0; column < block.columns; ++column) {
            const long double term = static_cast<long double>(element_of(row, column)) *
                                     x[static_cast<std::size_t>(column)];
            value += term;
            magnitude += std::abs(term);
        }
        result.value.push_back(value);
        result.magnitude.push_back(magnitude);
    }
    return result;
}

void expect_close(const std::vector<double>& found, const Product& wanted,
                  const std::string& what) {
    ASSERT_EQ(found.size(), wanted.value.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto bound = static_cast<double>(wanted.magnitude[i]) *
                           std::numeric_limits<double>::epsilon() *
                           static_cast<double>(found.size() + 16);
        ASSERT_NEAR(found[i], static_cast<double>(wanted.value[i]), bound) << what << ", row " << i;
    }
}

const RowBlock row_blocks[] = {{0, 1, 1},   {0, 8, 8},    {0, 16, 16},   {3, 5, 7}, {2, 9, 17},
                               {0, 7, 63},  {1, 65, 9},   {0, 0, 5},     {0, 3, 0}, {40, 33, 131},
                               {0, 24, 64}, {0, 100, 99}, {17, 12, 8200}};
const std::int64_t matrix_sizes[] = {0,  1,  2,  7,  8,  9,   15,  16,  17,
                                     24, 31, 33, 48, 63, 100, 257, 2100};

}  // namespace

TEST_P(MatrixContract, ARowBlockMakesItsRowsOfTheProduct) {
    for (const RowBlock& block : row_blocks) {
        const auto x = random_values<double>(block.columns, 1);
        const Buffer<double> in = upload(x);
        Buffer<double> out = upload(std::vector<double>(static_cast<std::size_t>(block.rows), NAN));
        const auto matrix = matrix_of(block);
        matrix->fill(read_row);

        matrix->multiply(in.view(), out.view(), *stream);

        const Product wanted = product(block, x);
        const std::string what = std::to_string(block.rows) + " x " + std::to_string(block.columns);
        expect_close(download(out.view()), wanted, what);

        Buffer<double> dot = upload(std::vector<double>{NAN});
        if (block.rows == 0 || block.first_row + block.rows > block.columns ||
            !matrix->multiply_and_dot(in.view(), out.view(), dot.view(), *stream))
            continue;
        Product wanted_dot{{0}, {0}};
        for (std::size_t i = 0; i < wanted.value.size(); ++i) {
            const double of_row = x[i + static_cast<std::size_t>(block.first_row)];
            wanted_dot.value[0] += wanted.value[i] * of_row;
            wanted_dot.magnitude[0] += wanted.magnitude[i] * std::abs(of_row);
        }
        expect_close(download(out.view()), wanted, what + " with its dot");
        expect_close(download(dot.view()), wanted_dot, "dot of " + what);
    }
}

TEST_P(MatrixContract, PlansTheMemoryThatItTakes) {
    const auto expect_as_planned = [&](const auto& part) {
        device::Arena planned(*device, device::Arena::Mode::plan);
        EXPECT_EQ(make_matrix(planned, part)->storage().data(), nullptr);
        device::Arena taken(*device, device::Arena::Mode::allocate);
        const auto matrix = make_matrix(taken, part);
        EXPECT_EQ(planned.needs(), taken.needs());
        EXPECT_GE(taken.needs().host + taken.needs().device, matrix->storage().bytes());
    };
    for (const RowBlock& block : row_blocks)
        expect_as_planned(block);
    for (const std::int64_t size : matrix_sizes)
        expect_as_planned(TrianglePart{size, 3, 1});
}

TEST_P(MatrixContract, ThePartsOfATriangleSumToTheProduct) {
    for (const std::int64_t size : matrix_sizes) {
        for (const int parts : {1, 2, 3, 5}) {
            const auto x = random_values<double>(size, 2);
            const Buffer<double> in = upload(x);
            std::vector<double> sum(x.size());
            for (int part = 0; part < parts; ++part) {
                Buffer<double> out = upload(std::vector<double>(x.size(), NAN));
                const auto matrix = matrix_of(TrianglePart{size, parts, part});
                matrix->fill(read_row);
                matrix->multiply(in.view(), out.view(), *stream);
                const auto contribution = download(out.view());
                for (std::size_t i = 0; i < sum.size(); ++i)
                    sum[i] += contribution[i];
            }
            expect_close(sum, product({0, size, size}, x),
                         std::to_string(size) + " in " + std::to_string(parts));
        }
    }
}

TEST_P(MatrixContract, ReadsAndWritesOnlyTheVectorsItIsGiven) {
    constexpr std::int64_t size = 21;
    const auto x = random_values<double>(size, 3);
    for (const std::int64_t offset : {1, 3, 8}) {
        std::vector<double> padded(static_cast<std::size_t>(size + 16), NAN);
        std::ranges::copy(x, padded.begin() + offset);
        const Buffer<double> in = upload(padded);
        Buffer<double> out = upload(std::vector<double>(padded.size(), 7.0));
        for (const auto& matrix :
             {matrix_of(RowBlock{0, size, size}), matrix_of(TrianglePart{size, 1, 0})}) {
            matrix->fill(read_row);
            matrix->multiply(in.view().part(offset, size), out.view().part(offset, size), *stream);

            const auto all = download(out.view());
            expect_close({all.begin() + offset, all.begin() + offset + size},
                         product({0, size, size}, x), "offset " + std::to_string(offset));
            for (std::int64_t i = 0; i < std::ssize(all); ++i) {
                if (i < offset || i >= offset + size) {
                    EXPECT_EQ(all[static_cast<std::size_t>(i)], 7.0) << i;
                }
            }
        }
    }
}

TEST_P(MatrixContract, TheSameProductHasTheSameBits) {
    constexpr std::int64_t size = 1003;
    const Buffer<double> in = upload(random_values<double>(size, 4));
    Buffer<double> out = empty<double>(size);
    for (const auto& matrix :
         {matrix_of(RowBlock{0, size, size}), matrix_of(TrianglePart{size, 1, 0})}) {
        matrix->fill(read_row);
        matrix->multiply(in.view(), out.view(), *stream);
        const auto first = download(out.view());

        for (int again = 0; again < 3; ++again) {
            matrix->multiply(in.view(), out.view(), *stream);
            EXPECT_EQ(download(out.view()), first);
        }
    }
}

TEST_P(MatrixContract, RefusesOtherSizesAndOverlap) {
    Buffer<double> values = empty<double>(30);
    const View<double> ten = values.view().part(0, 10);
    const View<double> next = values.view().part(10, 10);
    const auto rows = matrix_of(RowBlock{0, 10, 10});
    const auto triangle = matrix_of(TrianglePart{10, 1, 0});
    for (MatrixShare* matrix : {rows.get(), triangle.get()}) {
        EXPECT_THROW(matrix->multiply(values.view().part(0, 9), next, *stream), Failure);
        EXPECT_THROW(matrix->multiply(ten, values.view().part(10, 11), *stream), Failure);
        EXPECT_THROW(matrix->multiply(ten, values.view().part(9, 10), *stream), Failure);
    }
    EXPECT_THROW(matrix_of(RowBlock{0, -1, 10}), Failure);
    EXPECT_THROW(matrix_of(TrianglePart{10, 2, 2}), Failure);
    EXPECT_THROW(matrix_of(TrianglePart{10, 0, 0}), Failure);
}

TEST_P(MatrixContract, UpdatesClassicVectorsAndGivesTheNewResidualDot) {
    for (const std::int64_t size : {0, 1, 7, 31, 33, 1001, (1 << 20) + 5}) {
        const auto p = random_values<double>(size, 12);
        const auto q = random_values<double>(size, 13);
        const auto x = random_values<double>(size, 14);
        const auto r = random_values<double>(size, 15);
        const Buffer<double> direction = upload(p);
        const Buffer<double> matrix_product = upload(q);
        Buffer<double> solution = upload(x);
        Buffer<double> residual = upload(r);
        Buffer<double> result = upload(std::vector<double>{NAN, NAN});

        update(*device, 0.3,
               {direction.view(), matrix_product.view(), solution.view(), residual.view()},
               result.view().part(0, 1), *stream);
        device->vectors().dot(residual.view(), residual.view(), result.view().part(1, 1), *stream);

        const auto new_x = download(solution.view());
        const auto new_r = download(residual.view());
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_NEAR(new_x[i], x[i] + 0.3 * p[i], rounding) << i << " of " << size;
            ASSERT_NEAR(new_r[i], r[i] - 0.3 * q[i], rounding) << i << " of " << size;
        }
        const auto dots = download(result.view());
        EXPECT_NEAR(dots[0], dots[1], rounding * static_cast<double>(size + 1)) << size;
    }
}

TEST_P(MatrixContract, RefusesToUpdateVectorsThatDifferInSizeOrOverlap) {
    Buffer<double> four = empty<double>(4);
    Buffer<double> one = empty<double>(1);
    Buffer<double> parts = empty<double>(12);
    const auto part = [&](std::int64_t index) { return parts.view().part(3 * index, 3); };
    EXPECT_THROW(update(*device, 1, {part(0), part(1), part(2), four.view()}, one.view(), *stream),
                 Failure);
    EXPECT_THROW(update(*device, 1, {part(0), part(1), part(2), part(2)}, one.view(), *stream),
                 Failure);
}

INSTANTIATE_TEST_SUITE_P(Devices, MatrixContract, ::testing::ValuesIn(device::contract_devices()),
                         device::parameter_name);

}  // namespace quartet::cg
