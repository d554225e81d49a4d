#include "cg/system/matrix_file.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "comm/mpi/shared_folder.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MatrixFileTest : public testing::Test {
  protected:
    // Diagonally dominant, and so positive definite.
    [[nodiscard]] static std::vector<double> sound(std::int64_t size, double scale = 1) {
        std::vector<double> elements;
        for (std::int64_t i = 0; i < size; ++i) {
            for (std::int64_t j = 0; j < size; ++j) {
                const double element =
                    i == j ? static_cast<double>(size) : 1.0 / (1.0 + std::abs(double(i - j)));
                elements.push_back(scale * element);
            }
        }
        return elements;
    }

    [[nodiscard]] std::filesystem::path written(std::int64_t rows, std::int64_t columns,
                                                const std::vector<double>& elements) const {
        const auto file = folder.path() / "matrix.npy";
        folder.once([&] { write_npy<double>(file, {rows, columns}, elements); });
        return file;
    }

    std::string complaint(std::int64_t size, const std::vector<double>& elements) const {
        const auto file = written(size, size, elements);
        return message_of<UsageError>([&] { MatrixFile(file, world, 1); });
    }

    const comm::Communicator world = comm::Communicator::world();
    const SharedFolder folder{world};
};

TEST_F(MatrixFileTest, HasItsElementsTimesAPowerOfTwo) {
    for (const std::int64_t size : {1, 2, 3, 7, 30}) {
        const auto elements = sound(size);
        const MatrixFile system(written(size, size, elements), world, 1);
        ASSERT_EQ(system.size(), size);
        std::vector<double> row(static_cast<std::size_t>(size));
        double largest = 0;
        for (std::int64_t i = 0; i < size; ++i) {
            system.read_row(i, 0, row);
            const double factor = row[0] / elements[static_cast<std::size_t>(i * size)];
            int exponent = 0;
            EXPECT_EQ(std::frexp(factor, &exponent), 0.5) << "a power of two";
            for (std::size_t j = 0; j < row.size(); ++j) {
                EXPECT_EQ(row[j], factor * elements[static_cast<std::size_t>(i * size) + j]);
                largest = std::max(largest, row[j]);
            }
        }
        EXPECT_GE(largest, 0.5);
        EXPECT_LE(largest, 1);
        folder.once([] {});
    }
}

TEST_F(MatrixFileTest, HasARightSideForItsSolution) {
    constexpr std::int64_t size = 23;
    const MatrixFile system(written(size, size, sound(size)), world, 1);
    std::vector<long double> product(size);
    system.multiply(system.solution(), product);
    std::vector<double> row(size);
    for (std::int64_t i = 0; i < size; ++i) {
        system.read_row(i, 0, row);
        long double sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) {
            sum += row[j] * system.solution()[j];
        }
        const auto place = static_cast<std::size_t>(i);
        EXPECT_NEAR(static_cast<double>(product[place]), static_cast<double>(sum), 1e-15);
        EXPECT_NEAR(system.right_side()[place], static_cast<double>(sum), 1e-15);
    }
    EXPECT_GT(system.spectrum().smallest, 0);
    EXPECT_GE(system.spectrum().largest, system.spectrum().smallest);
}

TEST_F(MatrixFileTest, ScalesHugeTinyAndDenormalMatrices) {
    constexpr std::int64_t size = 12;
    const MatrixFile usual(written(size, size, sound(size)), world, 1);
    const std::vector<double> wanted(usual.right_side().begin(), usual.right_side().end());
    for (const int exponent : {1019, -1000, -1030}) {
        const MatrixFile scaled(written(size, size, sound(size, std::ldexp(1.0, exponent))), world,
                                1);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            // Elements of 2^-1030 have lost some of their bits: 2^-44 of the largest.
            EXPECT_NEAR(scaled.right_side()[i], wanted[i], exponent > -1020 ? 0 : 1e-11)
                << exponent;
        }
    }
}

TEST_F(MatrixFileTest, NamesAnElementThatIsNotFinite) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto elements = sound(9);
        elements[7 * 9 + 2] = bad;
        EXPECT_THAT(complaint(9, elements), AllOf(HasSubstr("matrix.npy"), HasSubstr("(7, 2)")));
    }
}

TEST_F(MatrixFileTest, NamesADiagonalElementThatIsNotPositive) {
    for (const double bad : {0.0, -1.0}) {
        auto elements = sound(9);
        elements[5 * 9 + 5] = bad;
        EXPECT_THAT(complaint(9, elements), AllOf(HasSubstr("matrix.npy"), HasSubstr("(5, 5)"),
                                                  HasSubstr("positive definite")));
    }
}

TEST_F(MatrixFileTest, NoticesOneAsymmetricElement) {
    for (const double difference : {1.0, 1e-6, -1e-11}) {
        for (const auto& [row, column] :
             std::vector<std::pair<std::size_t, std::size_t>>{{0, 8}, {8, 0}, {3, 4}}) {
            auto elements = sound(9);
            elements[row * 9 + column] += difference;
            EXPECT_THAT(complaint(9, elements),
                        AllOf(HasSubstr("matrix.npy"), HasSubstr("differs from column")))
                << difference;
        }
    }
}

TEST_F(MatrixFileTest, AcceptsAsymmetryFromRounding) {
    auto elements = sound(9);
    elements[3] *= 1 + 4 * std::numeric_limits<double>::epsilon();
    const auto file = written(9, 9, elements);
    EXPECT_NO_THROW(MatrixFile(file, world, 1));
}

TEST_F(MatrixFileTest, RefusesAnythingButSquareMatricesOfDoubles) {
    EXPECT_EQ(MatrixFile::size_in(written(3, 3, std::vector<double>(9))), 3);
    EXPECT_THROW(static_cast<void>(MatrixFile::size_in(written(2, 3, std::vector<double>(6)))),
                 NpyError);
    EXPECT_THROW(static_cast<void>(MatrixFile::size_in(written(0, 0, {}))), NpyError);
    const auto floats = folder.path() / "floats.npy";
    folder.once([&] { write_npy<float>(floats, {1, 1}, std::vector<float>(1)); });
    EXPECT_THROW(static_cast<void>(MatrixFile::size_in(floats)), NpyError);
    EXPECT_THROW(static_cast<void>(MatrixFile::size_in(folder.path() / "none.npy")), NpyError);
}

}  // namespace
}  // namespace quartet::cg
