#include <gtest/gtest.h>

#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <vector>

#include "core/files/npy.hpp"
#include "core/npy_builder.hpp"
#include "core/temporary_folder.hpp"
#include "npy_numpy_test_paths.hpp"

namespace quartet {
namespace {

// The cases and values of npy_numpy_test.py.
const std::vector<Shape> shapes = {{}, {1}, {7}, {3, 4}, {2, 3, 4}, {0}, {5, 0, 2}};

double value(std::size_t k, double /*type*/) {
    return static_cast<double>(k) + 0.25;
}
float value(std::size_t k, float /*type*/) {
    return static_cast<float>(k) + 0.25F;
}
std::complex<double> value(std::size_t k, std::complex<double> /*type*/) {
    return {static_cast<double>(k) + 0.25, -2 * static_cast<double>(k)};
}

template <typename T>
std::vector<T> expected(const Shape& shape) {
    std::size_t count = 1;
    for (const std::int64_t extent : shape) {
        count *= static_cast<std::size_t>(extent);
    }
    std::vector<T> values(count);
    for (std::size_t k = 0; k < count; ++k) {
        values[k] = value(k, T{});
    }
    return values;
}

template <typename T>
std::string file_name(const Shape& shape, const std::string& suffix) {
    std::string name(descriptor(element_type<T>()).substr(1));
    const char* separator = "_";
    for (const std::int64_t extent : shape) {
        name += separator;
        name += std::to_string(extent);
        separator = "x";
    }
    name += shape.empty() ? "__" : "_";
    return name + suffix + ".npy";
}

class NumPyTest : public testing::Test {
  protected:
    void SetUp() override {
        if (python_with_numpy.empty()) {
            GTEST_SKIP() << "no Python with NumPy was found when this test was configured";
        }
    }

    void run_numpy(const std::string& action) const {
        const std::filesystem::path log = folder / "log.txt";
        std::ostringstream command;
        command << std::quoted(python_with_numpy) << ' ' << std::quoted(numpy_script) << ' '
                << action << ' ' << folder.path() << " > " << log << " 2>&1";
        // NOLINTNEXTLINE(bugprone-command-processor): the shell is the test's
        ASSERT_EQ(std::system(command.str().c_str()), 0) << read_text(log);
    }

    template <typename T>
    void expect_all_read() const {
        for (const Shape& shape : shapes) {
            for (const char* version : {"v1", "v2"}) {
                const std::vector<T> wanted = expected<T>(shape);
                std::vector<T> found(wanted.size());
                read_npy(folder / file_name<T>(shape, version), shape, std::span(found));
                EXPECT_EQ(found, wanted) << file_name<T>(shape, version);
            }
        }
    }

    template <typename T>
    void write_all() const {
        for (const Shape& shape : shapes) {
            const std::vector<T> values = expected<T>(shape);
            write_npy(folder / file_name<T>(shape, "ours"), shape, std::span(values));
        }
    }

    std::optional<NpyProblem> problem_of(std::string_view file) const {
        return problem_in([&] { read_npy_header(folder / file); });
    }

    TemporaryFolder folder;
};

TEST_F(NumPyTest, FilesThatNumPyWritesAreRead) {
    run_numpy("write");
    if (HasFatalFailure()) {
        return;
    }
    expect_all_read<float>();
    expect_all_read<double>();
    expect_all_read<std::complex<double>>();
    EXPECT_EQ(problem_of("fortran.npy"), NpyProblem::fortran_order);
    EXPECT_EQ(problem_of("big_endian.npy"), NpyProblem::wrong_dtype);
    EXPECT_EQ(problem_of("integers.npy"), NpyProblem::wrong_dtype);
    EXPECT_EQ(problem_of("structured.npy"), NpyProblem::wrong_dtype);
}

TEST_F(NumPyTest, NumPyReadsTheFilesThatAreWritten) {
    write_all<float>();
    write_all<double>();
    write_all<std::complex<double>>();
    run_numpy("read");
}

}  // namespace
}  // namespace quartet
