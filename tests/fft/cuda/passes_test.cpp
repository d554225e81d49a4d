#include "fft/cuda/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fft/cuda/pass_reference.hpp"

namespace quartet::fft {
namespace {

using Memory = std::vector<LongPoint>;

std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}
Memory numbers(int log_size) {
    Memory made;
    for (std::int64_t i = 0; i < std::int64_t{1} << log_size; ++i)
        made.emplace_back(std::sin(0.7 * static_cast<double>(i)),
                          std::cos(0.3 * static_cast<double>(i)));
    return made;
}
void expect_near(const Memory& found, const Memory& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_LT(std::abs(found[i] - wanted[i]), 1e-12) << i;
}

/// Arrays of points, whose addresses are those of the doubles of others.
class Arrays {
  public:
    double2* add(Memory& memory) {
        addresses_.emplace_back(memory.size());
        memories_.push_back(&memory);
        return addresses_.back().data();
    }
    /// Does a pass between them.
    void run(const FftPassShape& shape, const FftPass& pass) {
        const auto [from, first] = find(pass.from);
        const auto [to, start] = find(pass.to);
        std::vector<std::pair<std::int64_t, LongPoint>> results;
        do_pass(
            shape, pass, [&](std::int64_t i) { return from->at(at(first + i)); },
            [&](std::int64_t i, LongPoint result) { results.emplace_back(start + i, result); });
        for (const auto& [i, result] : results)
            to->at(at(i)) = result;
    }

  private:
    std::pair<Memory*, std::int64_t> find(const double2* address) {
        for (std::size_t i = 0; i < addresses_.size(); ++i)
            if (address >= addresses_[i].data() &&
                address < addresses_[i].data() + addresses_[i].size())
                return {memories_[i], address - addresses_[i].data()};
        throw std::logic_error("an address of no array");
    }

    std::vector<std::vector<double2>> addresses_;
    std::vector<Memory*> memories_;
};

void expect_whole_transform(const FftSplit& split) {
    Memory from = numbers(split.points());
    Memory work(from.size());
    Memory scratch(at(split.scratch()));
    Memory to(from.size());
    Arrays arrays;
    const double2* in = arrays.add(from);
    double2* middle = arrays.add(work);
    double2* small = arrays.add(scratch);
    double2* out = arrays.add(to);

    for_each_pass(split, FftBuffers{in, middle, small, out, nullptr},
                  [&](const FftPassShape& shape, const FftPass& pass, std::optional<int>) {
                      arrays.run(shape, pass);
                  });

    expect_near(to, transformed(from, split.points()));
}

TEST(FftPassesTest, TransformInNaturalOrder) {
    expect_whole_transform({4, 0, 5, 4});
    expect_whole_transform({5, 0, 4, 5});
    expect_whole_transform({4, 4, 5, 4});
    expect_whole_transform({5, 4, 4, 5});
}

TEST(FftPassesTest, TransformInChunks) {
    expect_whole_transform({6, 4, 4, 4});
    expect_whole_transform({5, 3, 4, 4});
}

// A chunk's scratch area is not used by chunks of another lane.
TEST(FftPassesTest, LanesShareNothing) {
    const FftSplit split{6, 4, 4, 4};
    std::vector<double2> scratch(at(split.scratch()));
    double2 other{};
    std::set<const double2*> of_lanes[fft_lanes];
    for_each_pass(
        split, FftBuffers{&other, &other, scratch.data(), &other, nullptr},
        [&](const FftPassShape&, const FftPass& pass, std::optional<int> lane) {
            for (const double2* place : std::initializer_list<const double2*>{pass.from, pass.to})
                if (place >= scratch.data() && place < scratch.data() + scratch.size())
                    of_lanes[lane.value()].insert(place);
        });
    EXPECT_EQ(of_lanes[0], std::set<const double2*>{scratch.data()});
    EXPECT_EQ(of_lanes[1], std::set<const double2*>{scratch.data() + scratch.size() / 2});
}

void expect_columns(const ColumnSplit& split) {
    const int tiles = split.first + split.second;
    Memory points = numbers(tiles + split.columns);
    Memory wanted(points.size());
    const std::int64_t columns = std::int64_t{1} << split.columns;
    for (std::int64_t j = 0; j < columns; ++j) {
        Memory line;
        for (std::int64_t t = 0; t < std::int64_t{1} << tiles; ++t)
            line.push_back(points[at(t * columns + j)] *
                           root_of_unity(t * j, tiles + split.columns));
        const Memory results = transformed(line, tiles);
        for (std::int64_t k = 0; k < std::int64_t{1} << tiles; ++k)
            wanted[at(k * columns + j)] = results[at(k)];
    }
    Memory scratch(at(split.scratch()));
    Arrays arrays;
    double2* in_place = arrays.add(points);
    double2* small = arrays.add(scratch);

    for_each_pass(split, FftBuffers{in_place, nullptr, small, in_place, nullptr},
                  [&](const FftPassShape& shape, const FftPass& pass, std::optional<int>) {
                      arrays.run(shape, pass);
                  });

    expect_near(points, wanted);
}

TEST(FftPassesTest, TransformColumnsInPlace) {
    expect_columns({4, 6, 0, 4});
    expect_columns({6, 4, 0, 6});
    expect_columns({6, 3, 2, 4});
    expect_columns({5, 4, 4, 5});
    expect_columns({4, 2, 3, 4});
}

}  // namespace
}  // namespace quartet::fft
