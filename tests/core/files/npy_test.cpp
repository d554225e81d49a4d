#include "core/files/npy.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <optional>

#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::ElementsAre;

constexpr std::string_view good_text =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

/// The problem of the NpyError that `action` throws.
template <typename Action>
std::optional<NpyProblem> problem_in(const Action& action) {
    try {
        action();
    } catch (const NpyError& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        return error.problem();
    }
    return std::nullopt;
}

/// Each test writes one file and asks what is wrong with it.
class NpyTest : public testing::Test {
  protected:
    static std::string whole(std::string_view text) {
        return std::string("\x93NUMPY\x01") + '\0' + static_cast<char>(text.size() & 0xff) +
               static_cast<char>(text.size() >> 8) + std::string(text);
    }
    std::optional<NpyProblem> problem_of(std::string_view content) {
        write_text(file, content);
        return problem_in([&] { read_npy_header(file); });
    }
    // Of a header whose file has no elements.
    std::optional<NpyProblem> problem_of_text(std::string_view text) {
        return problem_of(whole(text));
    }
    std::optional<NpyProblem> problem_of_shape(const std::string& shape) {
        return problem_of_text("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape +
                               ", }");
    }

    TemporaryFolder folder;
    std::filesystem::path file = folder / "x.npy";
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
    const NpyHeader header = read_npy_header(file);
    std::vector<float> part(5);

    read_npy(file, header, 4, std::span(part));

    EXPECT_THAT(part, ElementsAre(4.5F, 5.5F, 6.5F, 7.5F, 8.5F));
    EXPECT_THROW(read_npy(file, header, 8, std::span(part)), Failure);
    EXPECT_THROW(read_npy(file, header, -1, std::span(part)), Failure);
    EXPECT_NO_THROW(read_npy(file, header, 12, std::span<float>()));
}

TEST_F(NpyTest, RefusesWhatIsNoFileOfNumPys) {
    EXPECT_EQ(problem_in([&] { read_npy_header(folder / "none.npy"); }), NpyProblem::cannot_open);
    EXPECT_EQ(problem_in([&] { read_npy_header(folder.path()); }), NpyProblem::cannot_open);
    EXPECT_EQ(problem_of("\x93NUMPX" + whole(good_text).substr(6)), NpyProblem::wrong_magic);
    EXPECT_EQ(problem_of("PK"), NpyProblem::wrong_magic);
    std::string version_2 = whole(good_text) + std::string(24, '\0');
    version_2[6] = '\x02';
    EXPECT_EQ(problem_of(version_2), NpyProblem::unsupported_version);
    for (const std::size_t length : {0U, 1U, 6U, 9U, 30U}) {
        EXPECT_EQ(problem_of(whole(good_text).substr(0, length)), NpyProblem::short_file) << length;
    }
    EXPECT_EQ(problem_of(whole(good_text) + std::string(23, '\0')), NpyProblem::short_file);
    EXPECT_EQ(problem_of(whole(good_text) + std::string(24, '\0')), std::nullopt);
    EXPECT_EQ(problem_of(whole(good_text) + std::string(25, '\0')), NpyProblem::long_file);
}

TEST_F(NpyTest, RefusesAHeaderThatIsDamaged) {
    for (const std::string_view text : {
             "",
             "{",
             "{}",
             "None",
             "{'descr': '<f4', 'fortran_order': False}",
             "{'descr': '<f4', 'shape': (3,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), ",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } more",
             "{'descr': '<f4', 'fortran_order': Falsely, 'shape': (3,), }",
             "{'descr': <f4, 'fortran_order': False, 'shape': (3,), }",
             "{'descr': '<f4",
         }) {
        EXPECT_EQ(problem_of_text(text), NpyProblem::malformed_header) << text;
    }
    for (const char* shape : {"3", "(3)", "[3]", "(,)", "(3,,)", "(3, 4 5)", "(3.0,)", "(x,)",
                              "(+3,)", "(", "(3,", "((3,),)"}) {
        EXPECT_EQ(problem_of_shape(shape), NpyProblem::malformed_header) << shape;
    }
}

TEST_F(NpyTest, RefusesAShapeThatCannotBe) {
    for (const char* shape :
         {"(-1,)", "(3, -4)", "(-3, -4)", "(0, -1)", "(9223372036854775808,)",
          "(9223372036854775807,)", "(4294967296, 4294967296)", "(2305843009213693952,)"}) {
        EXPECT_EQ(problem_of_shape(shape), NpyProblem::wrong_shape) << shape;
    }
    EXPECT_EQ(problem_of_shape("(2305843009213693951,)"), NpyProblem::short_file);
    EXPECT_EQ(problem_of_shape("(0, 9223372036854775807, 2)"), std::nullopt) << "it is empty";
}

TEST_F(NpyTest, RefusesAnotherDtypeOrderOrShape) {
    for (const char* descr : {">f4", "<i4", "<f2", "f4", "<c8", "", "<f44"}) {
        EXPECT_EQ(problem_of_text("{'descr': '" + std::string(descr) +
                                  "', 'fortran_order': False, 'shape': (3,), }"),
                  NpyProblem::wrong_dtype)
            << descr;
    }
    EXPECT_EQ(problem_of_text("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }"),
              NpyProblem::fortran_order);
    const std::vector<float> values = counting(6);
    write_npy(file, {2, 3}, std::span(values));
    std::vector<double> doubles(6);
    std::vector<float> floats(6);
    EXPECT_EQ(problem_in([&] {
                  read_npy(file, {2, 3}, std::span(doubles));
              }),
              NpyProblem::wrong_dtype);
    EXPECT_EQ(problem_in([&] {
                  read_npy(file, {3, 2}, std::span(floats));
              }),
              NpyProblem::wrong_shape);
}

TEST_F(NpyTest, NoticesAFileCutAfterItsHeaderWasRead) {
    const std::vector<float> values = counting(6);
    write_npy(file, {6}, std::span(values));
    const NpyHeader header = read_npy_header(file);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    std::vector<float> out(6);
    EXPECT_EQ(problem_in([&] { read_npy(file, header, 0, std::span(out)); }),
              NpyProblem::short_file);
}

TEST_F(NpyTest, RefusesToWriteWhereItCannot) {
    const std::vector<float> values = counting(6);
    EXPECT_EQ(problem_in([&] { write_npy(folder / "none/x.npy", {6}, std::span(values)); }),
              NpyProblem::cannot_write);
    EXPECT_THROW(write_npy(file, {7}, std::span(values)), Failure);
    EXPECT_EQ(folder.entries(), 0);
}

TEST_F(NpyTest, SaysFileProblemAndRemedyOnOneLine) {
    write_text(file, whole(good_text));
    try {
        read_npy_header(file);
        FAIL() << "nothing was thrown";
    } catch (const NpyError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::failed);
        EXPECT_EQ(std::string(error.what()),
                  "'" + file.string() +
                      "' is too short (0 B of elements where shape (2, 3) of <f4 makes 24 B): "
                      "generate or copy it again");
    }
}

}  // namespace
}  // namespace quartet
