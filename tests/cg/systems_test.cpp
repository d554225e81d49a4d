#include "cg/systems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace quartet::cg {
namespace {

std::vector<double> row_of(const LinearSystem& system, std::int64_t row) {
    std::vector<double> elements(static_cast<std::size_t>(system.size()));
    system.read_row(row, 0, elements);
    return elements;
}

TEST(RandomSystem, IsSymmetricToTheLastBit) {
    const RandomSystem system(203, 1);
    std::vector<std::vector<double>> rows;
    for (std::int64_t row = 0; row < system.size(); ++row) {
        rows.push_back(row_of(system, row));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            ASSERT_EQ(rows[i][j], rows[j][i]) << i << ", " << j;
        }
    }
}

/// The product with the solution, by the elements and in itself, is the right side.
void expect_product_of_elements(const LinearSystem& system) {
    std::vector<long double> product(static_cast<std::size_t>(system.size()));
    system.multiply(system.solution(), product);
    for (std::int64_t row = 0; row < system.size(); ++row) {
        const auto elements = row_of(system, row);
        long double sum = 0;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            sum += elements[i] * system.solution()[i];
        }
        const auto i = static_cast<std::size_t>(row);
        EXPECT_NEAR(static_cast<double>(product[i]), static_cast<double>(sum), 1e-10);
        EXPECT_NEAR(static_cast<double>(product[i]), system.right_side()[i], 1e-12);
    }
}

TEST(LinearSystems, MultiplyAsTheirElementsDo) {
    for (const std::int64_t size : {1, 2, 3, 17, 300}) {
        SCOPED_TRACE(size);
        expect_product_of_elements(RandomSystem(size, 2));
        expect_product_of_elements(Laplace(size));
    }
}

TEST(RandomSystem, HasTheSpectrumThatItReports) {
    constexpr std::int64_t size = 40;
    const RandomSystem system(size, 3);
    EXPECT_EQ(system.spectrum().smallest, 1);
    EXPECT_NEAR(system.spectrum().largest, RandomSystem::condition, 1e-9);
    // The traces of A and of A A are the sums of the eigenvalues and of their squares.
    double trace = 0;
    double squares = 0;
    double eigenvalues = 0;
    double eigenvalue_squares = 0;
    for (std::int64_t row = 0; row < size; ++row) {
        const auto elements = row_of(system, row);
        trace += elements[static_cast<std::size_t>(row)];
        for (const double element : elements) {
            squares += element * element;
        }
        const double value = std::pow(RandomSystem::condition, static_cast<double>(row) / 39);
        eigenvalues += value;
        eigenvalue_squares += value * value;
    }
    EXPECT_NEAR(trace, eigenvalues, 1e-10 * eigenvalues);
    EXPECT_NEAR(squares, eigenvalue_squares, 1e-10 * eigenvalue_squares);
}

TEST(Laplace, IsTheSecondDifference) {
    const Laplace system(6);
    for (std::int64_t row = 0; row < 6; ++row) {
        for (std::int64_t first = 0; first < 6; ++first) {
            std::vector<double> out(static_cast<std::size_t>(6 - first), 99);
            system.read_row(row, first, out);
            for (std::int64_t column = first; column < 6; ++column) {
                const std::int64_t distance = std::abs(row - column);
                EXPECT_EQ(out[static_cast<std::size_t>(column - first)], distance == 0   ? 2
                                                                         : distance == 1 ? -1
                                                                                         : 0)
                    << row << ", " << column;
            }
        }
    }
}

TEST(Laplace, HasThePapersRightSide) {
    const Laplace system(8);
    const double step = 2 * std::numbers::pi / 8;
    EXPECT_EQ(system.right_side()[0], 0);
    EXPECT_NEAR(system.right_side()[2], step * step, 1e-15);
    EXPECT_NEAR(system.right_side()[6], -step * step, 1e-15);
}

TEST(Laplace, KnowsItsSolution) {
    for (const std::int64_t size : {1, 2, 3, 10, 1001}) {
        const Laplace system(size);
        std::vector<long double> product(static_cast<std::size_t>(size));
        system.multiply(system.solution(), product);
        for (std::size_t i = 0; i < product.size(); ++i) {
            EXPECT_NEAR(static_cast<double>(product[i]), system.right_side()[i], 1e-17) << size;
        }
    }
}

TEST(Laplace, KnowsItsSpectrum) {
    // By its eigenvectors sin(k pi (i + 1) / (N + 1)), the first and the last.
    constexpr std::int64_t size = 50;
    const Laplace system(size);
    for (const auto& [index, value] :
         {std::pair{1, system.spectrum().smallest}, std::pair{50, system.spectrum().largest}}) {
        std::vector<long double> vector;
        for (int i = 1; i <= size; ++i) {
            vector.push_back(std::sin(std::numbers::pi_v<long double> * index * i / (size + 1)));
        }
        std::vector<long double> product(vector.size());
        system.multiply(vector, product);
        for (std::size_t i = 0; i < vector.size(); ++i) {
            EXPECT_NEAR(static_cast<double>(product[i]), value * static_cast<double>(vector[i]),
                        1e-14);
        }
    }
}

}  // namespace
}  // namespace quartet::cg
