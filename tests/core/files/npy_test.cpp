#include "core/files/npy.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Each test writes one file, and asks what is wrong with it.
class NpyTest : public testing::Test {
  protected:
    // Read as float32 of shape (2, 3).
    std::string problem() {
        std::vector<float> values(6);
        return message_of<NpyError>([&] { read_npy(file, {2, 3}, std::span(values)); });
    }
    std::string problem_of(std::string_view content) {
        write_text(file, content);
        return problem();
    }

    TemporaryFolder folder;
    std::filesystem::path file = folder / "x.npy";
    std::string good = format_npy_header(ElementType::f4, {2, 3});
};

std::vector<float> counting(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.5F);
    return values;
}

template <typename T>
void expect_round_trip(const std::filesystem::path& file, const Shape& shape, std::size_t count) {
    std::vector<T> written(count);
    for (std::size_t k = 0; k < count; ++k) {
        written[k] = T(static_cast<float>(k) + 0.25F);
    }
    write_npy(file, shape, std::span<const T>(written));
    std::vector<T> read(count);
    read_npy(file, shape, std::span<T>(read));
    EXPECT_EQ(read, written);
}

TEST_F(NpyTest, BeginsAsNumPysFilesDo) {
    EXPECT_EQ(good, std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                        std::string(58, ' ') + "\n");
    EXPECT_THAT(format_npy_header(ElementType::c16, {5}), HasSubstr("'<c16'"));
    EXPECT_THAT(format_npy_header(ElementType::c16, {5}), HasSubstr("(5,)"));
    EXPECT_THAT(format_npy_header(ElementType::f8, {}), HasSubstr("()"));
}

TEST_F(NpyTest, ReadsWhatItWrites) {
    const std::vector<std::pair<Shape, std::size_t>> cases = {
        {{}, 1}, {{7}, 7}, {{3, 4}, 12}, {{2, 3, 4}, 24}, {{0}, 0}, {{4, 0}, 0}};
    for (const auto& [shape, count] : cases) {
        expect_round_trip<float>(file, shape, count);
        expect_round_trip<double>(file, shape, count);
        expect_round_trip<std::complex<double>>(file, shape, count);
    }
    for (std::size_t dimensions = 0; dimensions < 130; ++dimensions) {  // any length of a header
        const Shape shape(dimensions, 1);
        EXPECT_EQ(format_npy_header(ElementType::c16, shape).size() % 64, 0U);
        expect_round_trip<std::complex<double>>(file, shape, 1);
    }
}

TEST_F(NpyTest, ReadsAnyRange) {
    const std::vector<float> values = counting(12);
    write_npy(file, {3, 4}, std::span(values));
    std::vector<float> part(5);

    read_npy(file, {3, 4}, std::span(part), 4);

    EXPECT_THAT(part, ElementsAre(4.5F, 5.5F, 6.5F, 7.5F, 8.5F));
    EXPECT_THROW(read_npy(file, {3, 4}, std::span(part), 8), Failure);
    EXPECT_THROW(read_npy(file, {3, 4}, std::span(part), -1), Failure);
    EXPECT_NO_THROW(read_npy(file, {3, 4}, std::span<float>(), 12));
}

TEST_F(NpyTest, RefusesWhatIsNoFileOfThatArray) {
    EXPECT_THAT(problem(), AllOf(HasSubstr("cannot use '" + file.string() + "' (No such file"),
                                 HasSubstr("--generate")));
    EXPECT_THAT(problem_of("PK and more"), HasSubstr("its first bytes are not \\x93NUMPY"));
    EXPECT_THAT(problem_of(""), HasSubstr("its first bytes"));
    EXPECT_THAT(problem_of(good.substr(0, 30)), HasSubstr("its header is '{'descr': '<f4', "));
    for (const auto& [shape, type] :
         {std::pair(Shape{3, 2}, ElementType::f4), std::pair(Shape{2, 3}, ElementType::f8)}) {
        EXPECT_THAT(problem_of(format_npy_header(type, shape)),
                    AllOf(HasSubstr(to_string(shape)), HasSubstr(descriptor(type).data()),
                          HasSubstr("'shape': (2, 3)")));
    }
    EXPECT_THAT(problem_of(good + std::string(23, '\0')),
                HasSubstr("it has 23 B of elements where shape (2, 3) of <f4 makes 24 B"));
    EXPECT_THAT(problem_of(good + std::string(25, '\0')), HasSubstr("it has 25 B"));
    write_text(file, good + std::string(24, '\0'));
    std::vector<float> values(6, 1.0F);
    read_npy(file, {2, 3}, std::span(values));
    EXPECT_EQ(values, std::vector<float>(6));
}

TEST_F(NpyTest, RefusesToWriteWhereItCannot) {
    const std::vector<float> values = counting(6);
    EXPECT_THROW(write_npy(folder / "none/x.npy", {6}, std::span(values)), NpyError);
    EXPECT_THROW(write_npy(file, {7}, std::span(values)), Failure);
    EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace quartet
