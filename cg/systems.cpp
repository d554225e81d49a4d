#include "cg/systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "core/data_source.hpp"
#include "core/files/tiles.hpp"

namespace quartet::cg {

namespace {

std::vector<double> paper_right_side(std::int64_t size) {
    std::vector<double> values(static_cast<std::size_t>(size));
    const double step = 2 * std::numbers::pi / static_cast<double>(size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(step * static_cast<double>(i)) * step * step;
    }
    return values;
}

// Elimination without pivots (the Thomas algorithm): stable for this matrix.
std::vector<long double> solve_tridiagonal(const std::vector<double>& b) {
    const std::size_t size = b.size();
    std::vector<long double> ratio(size);
    std::vector<long double> x(size);
    long double last_ratio = 0;
    long double last_value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const long double pivot = 2 - last_ratio;
        last_ratio = 1 / pivot;
        last_value = (b[i] + last_value) / pivot;
        ratio[i] = last_ratio;
        x[i] = last_value;
    }
    for (std::size_t i = size - 1; i-- > 0;) {
        x[i] += ratio[i] * x[i + 1];
    }
    return x;
}

std::vector<double> geometric(std::int64_t size, double last) {
    std::vector<double> values(static_cast<std::size_t>(size));
    const auto intervals = static_cast<double>(std::max<std::int64_t>(size - 1, 1));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::pow(last, static_cast<double>(i) / intervals);
    }
    return values;
}

}  // namespace

Laplace::Laplace(std::int64_t size) {
    right_side_ = paper_right_side(size);
    solution_ = solve_tridiagonal(right_side_);
    // 2 - 2 cos(t) = 4 sin^2(t / 2), without cancellation; exactly, for t = pi / (N + 1) and N t.
    const double half = std::numbers::pi / (2 * (static_cast<double>(size) + 1));
    spectrum_ = {4 * std::pow(std::sin(half), 2), 4 * std::pow(std::cos(half), 2)};
}

void Laplace::read_row(std::int64_t row, std::int64_t first_column, std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    for (std::int64_t column = row - 1; column <= row + 1; ++column) {
        const std::int64_t place = column - first_column;
        if (place >= 0 && place < std::ssize(out)) {
            out[static_cast<std::size_t>(place)] = column == row ? 2 : -1;
        }
    }
}

void Laplace::multiply(std::span<const long double> x, std::span<long double> product) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double before = i > 0 ? x[i - 1] : 0;
        const long double after = i + 1 < x.size() ? x[i + 1] : 0;
        product[i] = 2 * x[i] - before - after;
    }
}

RandomSystem::RandomSystem(std::int64_t size, std::uint64_t seed)
    : eigenvalues_(geometric(size, condition)),
      normal_(symmetric_uniform(size, seed, "cg/normal")),
      factor_(2 / dot<double, double>(normal_, normal_)),
      sum_(normal_.size()),
      difference_(normal_.size()) {
    split_rank_two_part();
    const auto x = symmetric_uniform(size, seed, "cg/solution");
    solution_.assign(x.begin(), x.end());
    std::vector<long double> b(x.size());
    multiply(solution_, b);
    std::ranges::transform(b, std::back_inserter(right_side_),
                           [](long double value) { return static_cast<double>(value); });
    spectrum_ = {eigenvalues_.front(), eigenvalues_.back()};
    even_ = true;
}

// With w = D v and f = 2 / (v'v), A = D - v z' - z v' for z = f w - (f^2 v'w / 2) v. For vectors
// c v and z / c of equal length, v z' + z v' is half the square of their sum less half that of
// their difference: the same bits on both sides of the diagonal, and little cancellation.
void RandomSystem::split_rank_two_part() {
    std::vector<long double> z(normal_.size());
    for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] = static_cast<long double>(eigenvalues_[i]) * normal_[i];
    }
    const long double half = factor_ * factor_ * dot<double, long double>(normal_, z) / 2;
    long double z_squared = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        z[i] = factor_ * z[i] - half * normal_[i];
        z_squared += z[i] * z[i];
    }
    const long double balance = std::sqrt(std::sqrt(z_squared * factor_ / 2));
    if (balance > 0) {  // else A = D: of one element
        for (std::size_t i = 0; i < z.size(); ++i) {
            const long double left = balance * normal_[i];
            const long double right = z[i] / balance;
            sum_[i] = static_cast<double>((left + right) / std::numbers::sqrt2_v<long double>);
            difference_[i] =
                static_cast<double>((left - right) / std::numbers::sqrt2_v<long double>);
        }
    }
}

void RandomSystem::read_row(std::int64_t row, std::int64_t first_column,
                            std::span<double> out) const {
    const double sum = sum_[static_cast<std::size_t>(row)];
    const double difference = difference_[static_cast<std::size_t>(row)];
    const double* sums = sum_.data() + first_column;
    const double* differences = difference_.data() + first_column;
    for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] = difference * differences[j] - sum * sums[j];
    }
    const std::int64_t diagonal = row - first_column;
    if (diagonal >= 0 && diagonal < std::ssize(out)) {
        out[static_cast<std::size_t>(diagonal)] += eigenvalues_[static_cast<std::size_t>(row)];
    }
}

void RandomSystem::reflect(std::span<long double> x) const {
    const long double along = factor_ * dot<double, long double>(normal_, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] -= along * normal_[i];
    }
}

void RandomSystem::multiply(std::span<const long double> x, std::span<long double> product) const {
    std::ranges::copy(x, product.begin());
    reflect(product);
    for (std::size_t i = 0; i < product.size(); ++i) {
        product[i] *= eigenvalues_[i];
    }
    reflect(product);
}

std::unique_ptr<LinearSystem> make_system(const Problem& problem, std::uint64_t seed) {
    if (problem.system == "laplace") {
        return std::make_unique<Laplace>(problem.size);
    }
    return std::make_unique<RandomSystem>(problem.size, seed);
}

std::vector<double> symmetric_uniform(std::int64_t size, std::uint64_t seed,
                                      std::string_view name) {
    std::vector<double> values(static_cast<std::size_t>(size));
    DataSource(seed, name).fill_uniform(std::span(values), 0);
    for (double& value : values) {
        value = 2 * value - 1;
    }
    return values;
}

namespace {

Manifest wanted_manifest(const Problem& problem, std::uint64_t seed, int blocks) {
    Manifest manifest;
    manifest.kernel = "cg";
    manifest.seed = seed;
    manifest.shape = {problem.size, problem.size};
    manifest.tile = blocks;
    manifest.generator_version = DataSource::generator_version;
    manifest.order = fmt::format("{}, row-major", problem.system);
    return manifest;
}

// .., b-0, b-1, ..
std::vector<bench::TileFile> file_list(std::int64_t size, int blocks) {
    std::vector<bench::TileFile> files;
    for (const auto& [array, row] : {std::pair("A", Shape{size}), std::pair("b", Shape{})}) {
        for (int block = 0; block < blocks; ++block) {
            Shape shape{block_range(size, blocks, block).size()};
            shape.insert(shape.end(), row.begin(), row.end());
            files.push_back({block_file(array, block), shape});
        }
    }
    return files;
}

}  // namespace

SystemFiles::SystemFiles(bench::Session& session, const Problem& problem,
                         const bench::DataOptions& data, const LinearSystem* system)
    : size_(problem.size),
      blocks_(session.world().size()),
      files_(*data.folder, wanted_manifest(problem, session.options().seed, blocks_),
             file_list(size_, blocks_)) {
    files_.require_usable(data.generate);
    if (system == nullptr) {
        return;
    }
    if (data.generate == bench::Switch::on) {
        files_.generate(session.world(), session.topology(),
                        [&](const bench::TileFile& file, std::span<double> elements) {
                            fill(file, *system, elements);
                        });
    }
    files_.verify(session.world(), session.topology());
}

void SystemFiles::fill(const bench::TileFile& file, const LinearSystem& system,
                       std::span<double> elements) const {
    const std::int64_t index = &file - files_.files().data();
    const Range rows = rows_of(index % blocks_);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const auto place = static_cast<std::size_t>(row - rows.begin);
        if (index < blocks_) {
            const auto columns = static_cast<std::size_t>(size_);
            system.read_row(row, 0, elements.subspan(place * columns, columns));
        } else {
            elements[place] = system.right_side()[static_cast<std::size_t>(row)];
        }
    }
}

Range SystemFiles::rows_of(std::int64_t block) const {
    return block_range(size_, blocks_, static_cast<int>(block));
}

Bytes SystemFiles::memory() const {
    return bytes_of<double>(divide_up(size_, blocks_) * size_);
}

// The block that has a row: block_range() the other way round.
std::int64_t SystemFiles::block_of(std::int64_t row) const {
    return ((row + 1) * blocks_ - 1) / size_;
}

void SystemFiles::read_row(std::int64_t row, std::int64_t first_column,
                           std::span<double> out) const {
    const std::int64_t block = block_of(row);
    const Range rows = rows_of(block);
    const auto path = files_.path_of(block_file("A", block));
    read_npy(path, {rows.size(), size_}, out, (row - rows.begin) * size_ + first_column);
}

void SystemFiles::read_right_side(std::int64_t first_row, std::span<double> out) const {
    for (std::int64_t done = 0; done < std::ssize(out);) {
        const std::int64_t row = first_row + done;
        const std::int64_t block = block_of(row);
        const Range rows = rows_of(block);
        const std::int64_t count = std::min(rows.end - row, std::ssize(out) - done);
        const auto path = files_.path_of(block_file("b", block));
        read_npy(path, {rows.size()},
                 out.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)),
                 row - rows.begin);
        done += count;
    }
}

void SystemFiles::write_solution(const std::filesystem::path& folder,
                                 const comm::Communicator& world, std::span<const double> rows) {
    write_npy(folder / block_file("X", world.rank()), {std::ssize(rows)}, rows);
    remove_later_blocks(folder, "X", world.rank(), world.size());
}

}  // namespace quartet::cg
