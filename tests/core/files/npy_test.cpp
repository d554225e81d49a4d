#include "core/files/npy.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <numeric>
#include <optional>

#include "core/npy_builder.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::ElementsAre;

constexpr std::string_view good_text =
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

// Each test writes one file and asks what is wrong with it.
class NpyTest : public testing::Test {
  protected:
    std::filesystem::path written(std::string_view content) {
        write_text(file, content);
        return file;
    }
    std::optional<NpyProblem> problem_of(std::string_view content) {
        return problem_in([&] { read_npy_header(written(content)); });
    }

    TemporaryFolder folder;
    std::filesystem::path file = folder / "x.npy";
};

std::vector<float> counting(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.5F);
    return values;
}

TEST_F(NpyTest, ReadsTheHeaderOfEitherVersion) {
    const std::string elements(24, '\0');
    for (const NpyHeader& header :
         {read_npy_header(written(npy_version_1(good_text) + elements)),
          read_npy_header(written(npy_version_2(good_text) + elements))}) {
        EXPECT_EQ(header.type, ElementType::f4);
        EXPECT_THAT(header.shape, ElementsAre(2, 3));
    }
    EXPECT_EQ(read_npy_header(written(npy_version_1(good_text) + elements)).data_offset,
              Bytes{10 + std::ssize(good_text)});
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
}

TEST_F(NpyTest, WritesVersion2WhereTheHeaderOutgrowsVersion1) {
    const Shape shape(30000, 1);
    const std::vector<float> one = {3.5F};
    write_npy(file, shape, std::span(one));

    std::vector<float> read(1);
    read_npy(file, shape, std::span(read));

    EXPECT_EQ(read_text(file)[6], '\x02');
    EXPECT_EQ(read_npy_header(file).data_offset.value % 64, 0);
    EXPECT_EQ(read, one);
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

TEST_F(NpyTest, RefusesAFileThatIsMissing) {
    EXPECT_EQ(problem_in([&] { read_npy_header(folder / "none.npy"); }), NpyProblem::cannot_open);
    EXPECT_EQ(problem_in([&] { read_npy_header(folder.path()); }), NpyProblem::cannot_open);
}

TEST_F(NpyTest, RefusesAWrongMagic) {
    EXPECT_EQ(problem_of("\x93NUMPX" + npy_version_1(good_text).substr(6)),
              NpyProblem::wrong_magic);
    EXPECT_EQ(problem_of("PK"), NpyProblem::wrong_magic);
    EXPECT_EQ(problem_of(std::string(100, '\0')), NpyProblem::wrong_magic);
}

TEST_F(NpyTest, RefusesAVersionItDoesNotKnow) {
    for (const auto& [major, minor] : {std::pair{3, 0}, {9, 9}, {0, 0}, {1, 1}, {2, 1}}) {
        std::string content = npy_version_1(good_text) + std::string(24, '\0');
        content[6] = static_cast<char>(major);
        content[7] = static_cast<char>(minor);
        EXPECT_EQ(problem_of(content), NpyProblem::unsupported_version) << major << '.' << minor;
    }
}

TEST_F(NpyTest, RefusesAHeaderLongerThanTheFile) {
    EXPECT_EQ(problem_of(npy_prelude('\x01', 2, 1000) + std::string(good_text)),
              NpyProblem::absurd_header_length);
    EXPECT_EQ(problem_of(npy_prelude('\x02', 4, 0xffffffff) + std::string(good_text)),
              NpyProblem::absurd_header_length);
}

TEST_F(NpyTest, RefusesAHeaderBeyondOneMebibyteThatIsThere) {
    const std::size_t length = (1 << 20) + 1;
    std::string text(good_text);
    text.resize(length, ' ');
    EXPECT_EQ(problem_of(npy_version_2(text)), NpyProblem::absurd_header_length);
}

TEST_F(NpyTest, RefusesAFileThatEndsInItsPrelude) {
    const std::string whole = npy_version_2(good_text);
    for (const std::size_t length : {0U, 1U, 6U, 9U, 11U}) {
        EXPECT_EQ(problem_of(whole.substr(0, length)), NpyProblem::short_file) << length;
    }
}

TEST_F(NpyTest, RefusesTooFewAndTooManyElements) {
    EXPECT_EQ(problem_of(npy_version_1(good_text) + std::string(23, '\0')), NpyProblem::short_file);
    EXPECT_EQ(problem_of(npy_version_1(good_text) + std::string(25, '\0')), NpyProblem::long_file);
}

TEST_F(NpyTest, RefusesAnotherTypeOrShapeThanAskedFor) {
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
    EXPECT_EQ(problem_in([&] { read_npy(file, {6}, std::span(floats)); }), NpyProblem::wrong_shape);
    EXPECT_EQ(problem_in([&] { read_npy(file, read_npy_header(file), 0, std::span(doubles)); }),
              NpyProblem::wrong_dtype);
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

// A disk that fills up, played by a limit on the length of this process's files.
TEST_F(NpyTest, LeavesTheOldFileWhereTheNewOneCannotBeFinished) {
    const std::vector<float> old_values = counting(6);
    write_npy(file, {6}, std::span(old_values));
    const std::string before = read_text(file);
    const std::vector<float> values = counting(4000);
    rlimit unlimited{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    const rlimit narrow{1000, unlimited.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &narrow), 0);

    const auto problem = problem_in([&] { write_npy(file, {4000}, std::span(values)); });

    ::setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(problem, NpyProblem::cannot_write);
    EXPECT_EQ(read_text(file), before);
    EXPECT_EQ(folder.entries(), 1);
}

TEST_F(NpyTest, SaysFileProblemAndRemedyOnOneLine) {
    try {
        read_npy_header(written(npy_version_1(good_text)));
        FAIL() << "nothing was thrown";
    } catch (const NpyError& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::failed);
        EXPECT_EQ(std::string(error.what()),
                  "'" + file.string() +
                      "' is too short (0 B of elements where shape (2, 3) of <f4 makes 24 B): "
                      "generate or copy it again");
    }
}

TEST(ElementType, KnowsItsDescriptorAndSize) {
    EXPECT_EQ(descriptor(element_type<float>()), "<f4");
    EXPECT_EQ(descriptor(element_type<double>()), "<f8");
    EXPECT_EQ(descriptor(element_type<std::complex<double>>()), "<c16");
    EXPECT_EQ(size_of(ElementType::f4), Bytes{4});
    EXPECT_EQ(size_of(ElementType::f8), Bytes{8});
    EXPECT_EQ(size_of(ElementType::c16), Bytes{16});
}

}  // namespace
}  // namespace quartet
