#include "cg/system/matrix_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "cg/system/uniform.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/npy.hpp"

namespace quartet::cg {

namespace {

// Each rank's contributions to a vector, added in rank order, on all ranks: as two doubles an
// element, which hold nearly all of a long double. Collective.
void sum_over_ranks(std::span<long double> values, const comm::Communicator& world) {
    std::vector<double> halves(2 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        halves[2 * i] = static_cast<double>(values[i]);
        halves[2 * i + 1] = static_cast<double>(values[i] - halves[2 * i]);
    }
    world.sum(halves);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<long double>(halves[2 * i]) + halves[2 * i + 1];
    }
}

// Reads rows of a matrix in one file.
auto reader_of(const std::filesystem::path& file, std::int64_t size) {
    const auto input = std::make_shared<const InputFile>(file);
    return [file, size, input, begin = read_npy_header(file).data_offset](
               std::int64_t row, std::int64_t first_column, std::span<double> out) {
        const auto bytes = std::as_writable_bytes(out);
        if (input->read(begin + bytes_of<double>(row * size + first_column), bytes).value <
            std::ssize(bytes)) {
            throw NpyError(NpyProblem::short_file, file, "it has shrunk");
        }
    };
}

}  // namespace

std::int64_t MatrixFile::size_in(const std::filesystem::path& file) {
    const NpyHeader header = read_npy_header(file);
    const std::int64_t rows = header.shape.empty() ? 0 : header.shape.front();
    if (rows < 1) {
        throw NpyError(
            NpyProblem::wrong_shape, file,
            fmt::format("shape {} where a square one is expected", to_string(header.shape)));
    }
    require(header, ElementType::f8, {rows, rows}, file);
    return rows;
}

Bytes MatrixFile::memory(std::int64_t size, int ranks) {
    // Solution and right side; product and mirrored product; both halves of a sum of all ranks.
    return (16 + 8 + 2 * 16 + std::int64_t{16} * (1 + ranks)) * Bytes{size};
}

MatrixFile::MatrixFile(std::filesystem::path path, std::int64_t size, ReadRow read,
                       const comm::Communicator& world, std::uint64_t seed)
    : file_(std::move(path)),
      world_(world),
      size_(size),
      read_(std::move(read)),
      rows_(block_range(size_, world.size(), world.rank())),
      right_side_(static_cast<std::size_t>(size_)) {
    const auto x = symmetric_uniform(size_, seed, solution_name);
    solution_.assign(x.begin(), x.end());
}

MatrixFile::MatrixFile(const std::filesystem::path& file, const comm::Communicator& world,
                       std::uint64_t seed)
    : MatrixFile(file, size_in(file), reader_of(file, size_in(file)), world, seed) {
    exponent_ = exponent_of_largest();
    find_right_side();
    fingerprint_ = checksum(std::as_bytes(std::span(right_side_)));
}

MatrixFile::MatrixFile(const BlockFolder& folder, const std::filesystem::path& path,
                       std::int64_t size, const comm::Communicator& world, std::uint64_t seed)
    : MatrixFile(
          path, size,
          [folder](std::int64_t row, std::int64_t first_column, std::span<double> out) {
              folder.read_row(row, first_column, out);
          },
          world, seed) {
    static_cast<void>(exponent_of_largest());  // looks at all elements
    find_right_side();                         // and at the matrix's symmetry
    fingerprint_ = checksum(std::as_bytes(std::span(right_side_)));
    solution_.clear();
    comm::agree<UsageError>(world, [&] { folder.read_right_side(0, right_side_); });
    fingerprint_ ^= checksum(std::as_bytes(std::span(right_side_)));
}

void MatrixFile::refuse(const std::string& why) const {
    throw UsageError(
        fmt::format("cannot solve {} ({}): conjugate gradients need a symmetric positive definite "
                    "matrix",
                    quotation(file_.native()), why));
}

void MatrixFile::read_row(std::int64_t row, std::int64_t first_column,
                          std::span<double> out) const {
    read_(row, first_column, out);
    for (double& element : out) {
        element = std::ldexp(element, -exponent_);
    }
}

void MatrixFile::for_each_row(const UseRow& use) const {
    std::vector<double> elements(static_cast<std::size_t>(size_));
    for (std::int64_t row = rows_.begin; row < rows_.end; ++row) {
        read_row(row, 0, elements);
        use(row, elements);
    }
}

int MatrixFile::exponent_of_largest() const {
    double largest = 0;
    std::optional<std::string> problem;
    const auto look_at = [&](std::int64_t row, std::span<const double> elements) {
        const auto finite = [](double element) { return std::isfinite(element); };
        const auto bad = std::ranges::find_if_not(elements, finite);
        if (!problem && bad != elements.end()) {
            problem =
                fmt::format("element ({}, {}) is not a finite number", row, bad - elements.begin());
        }
        if (!problem && elements[static_cast<std::size_t>(row)] <= 0) {
            problem = fmt::format("element ({}, {}) is not positive", row, row);
        }
        for (const double element : elements) {
            largest = std::max(largest, std::abs(element));
        }
    };
    comm::agree<UsageError>(world_, [&] { for_each_row(look_at); });
    if (const auto first = world_.first(problem)) {
        refuse(*first);
    }
    int exponent = 0;
    std::frexp(world_.maximum(largest), &exponent);
    return exponent;
}

void MatrixFile::find_right_side() {
    std::vector<long double> product(solution_.size());
    std::vector<long double> mirrored(solution_.size());
    double squares = 0;
    for_each_row([&](std::int64_t row, std::span<const double> elements) {
        const auto i = static_cast<std::size_t>(row);
        for (std::size_t j = 0; j < elements.size(); ++j) {
            product[i] += elements[j] * solution_[j];
            mirrored[j] += elements[j] * solution_[i];
            squares += elements[j] * elements[j];
        }
    });
    sum_over_ranks(product, world_);
    sum_over_ranks(mirrored, world_);
    spectrum_.largest = std::sqrt(world_.sum(squares));
    require_symmetric(product, mirrored);
    long double energy = 0;
    long double length = 0;
    for (std::size_t i = 0; i < product.size(); ++i) {
        right_side_[i] = static_cast<double>(product[i]);
        energy += product[i] * solution_[i];
        length += solution_[i] * solution_[i];
    }
    spectrum_.smallest = static_cast<double>(energy / length);
    if (!(spectrum_.smallest > 0)) {
        refuse(fmt::format("x'A x = {:.3g} for some x", spectrum_.smallest));
    }
}

void MatrixFile::require_symmetric(std::span<const long double> product,
                                   std::span<const long double> mirrored) const {
    // A matrix that was computed may be symmetric up to some roundings of its norm an element,
    // which add up like random numbers.
    const long double tolerance = 8 * std::sqrt(static_cast<long double>(size_)) *
                                  std::numeric_limits<double>::epsilon() * spectrum_.largest;
    for (std::size_t i = 0; i < product.size(); ++i) {
        if (!(std::abs(product[i] - mirrored[i]) <= tolerance)) {
            refuse(fmt::format("row {} differs from column {}", i, i));
        }
    }
}

void MatrixFile::multiply(std::span<const long double> x, std::span<long double> product) const {
    std::ranges::fill(product, 0.0L);
    for_each_row([&](std::int64_t row, std::span<const double> elements) {
        long double sum = 0;
        for (std::size_t j = 0; j < elements.size(); ++j) {
            sum += elements[j] * x[j];
        }
        product[static_cast<std::size_t>(row)] = sum;
    });
    sum_over_ranks(product, world_);
}

}  // namespace quartet::cg
