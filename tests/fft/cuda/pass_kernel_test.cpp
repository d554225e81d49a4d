#include "device/cuda/gpu_array.hpp"
#include "fft/cuda/pass_reference.hpp"

namespace quartet::fft {

using namespace device;

namespace {

constexpr FftLines all_lines[] = {FftLines::columns, FftLines::columns_of_one_row,
                                  FftLines::columns_of_own_rows, FftLines::rows};

std::vector<FftPassShape> all_shapes() {
    std::vector<FftPassShape> shapes;
    for (const FftLines lines : all_lines)
        for (int log_length = 0; log_length <= most_fft_pass_bits + 1; ++log_length)
            for (int log_width = 0; log_width <= 6; ++log_width)
                if (has_fft_pass({lines, log_length, log_width}))
                    shapes.push_back({lines, log_length, log_width});
    return shapes;
}

std::vector<double2> roots() {
    std::vector<double2> table(at(fft_root_entries));
    for (int log_order = 0; log_order <= most_fft_pass_bits; ++log_order)
        for (std::int64_t j = 0; j < std::int64_t{1} << log_order; ++j) {
            const LongPoint root = root_of_unity(j, log_order);
            table[at((std::int64_t{1} << log_order) + j)] = {static_cast<double>(root.real()),
                                                             static_cast<double>(root.imag())};
        }
    return table;
}

/// One more tile than blocks run at once on one multiprocessor, with gaps between lines.
FftPass pass_of(const FftPassShape& shape) {
    const std::int64_t length = std::int64_t{1} << shape.log_length;
    const std::int64_t width = std::int64_t{1} << shape.log_width;
    FftPass pass;
    pass.tiles = 512 * 16 / (length * width) + 1;
    pass.low_bits = 1;
    pass.log_order = 9;
    pass.first_row = 5;
    pass.row_step = 7;
    if (shape.lines == FftLines::rows) {
        pass.read.point = length + 3;
        pass.read.low = width * pass.read.point;
        pass.read.high = 2 * pass.read.low;
    } else {
        pass.read.point = 2 * width + 1;
        pass.read.low = width;
        pass.read.high = length * pass.read.point;
    }
    pass.write.point = width + 2;
    pass.write.low = length * pass.write.point;
    pass.write.high = 2 * pass.write.low;
    return pass;
}

/// Where the GPU has the shared memory that passes take, their kernels are loaded.
class FftPassKernelTest : public KernelTest {
  protected:
    void SetUp() override {
        KernelTest::SetUp();
        if (!has_fft_passes())
            GTEST_SKIP() << "the GPU has too little shared memory";
        cuda_check(load_fft_pass_kernels(), "the kernels");
    }
};

TEST_F(FftPassKernelTest, TransformsAndMultipliesAsItIsDefined) {
    const GpuArray<double2> table(roots());
    const std::vector<FftPassShape> shapes = all_shapes();
    EXPECT_EQ(shapes.size(), 19);
    for (const FftPassShape& shape : shapes) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(shape.lines) << ", 2^"
                                        << shape.log_length << " x 2^" << shape.log_width);
        FftPass pass = pass_of(shape);
        const std::int64_t highs = pass.tiles / 2 + 1;
        std::vector<double2> points(at(highs * pass.read.high));
        for (std::size_t i = 0; i < points.size(); ++i)
            points[i] = {number(static_cast<std::int64_t>(i)),
                         number(static_cast<std::int64_t>(i) + 1000000)};
        std::vector<LongPoint> wanted(at(highs * pass.write.high), {unwritten, unwritten});
        do_pass(
            shape, pass,
            [&](std::int64_t i) {
                return LongPoint{points[at(i)].x, points[at(i)].y};
            },
            [&](std::int64_t i, LongPoint result) { wanted[at(i)] = result; });
        const GpuArray<double2> from(points);
        const GpuArray<double2> to(std::ssize(wanted), double2{unwritten, unwritten});
        pass.from = from.data();
        pass.to = to.data();
        pass.roots = table.data();

        launch_fft_pass(shape, pass, 1, stream);
        finish();

        const std::vector<double2> found = to.values();
        long double of_errors = 0;
        long double of_results = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const LongPoint result{found[i].x, found[i].y};
            if (wanted[i].real() == unwritten) {
                ASSERT_EQ(result, wanted[i]) << i;
                continue;
            }
            of_errors += std::norm(result - wanted[i]);
            of_results += std::norm(wanted[i]);
        }
        EXPECT_LT(std::sqrt(of_errors / of_results), 1e-15);
    }
}

TEST_F(FftPassKernelTest, HasAKernelForEachPass) {
    double2 points{};  // the address of none of these is used
    const auto exists = [](const FftPassShape& shape, const FftPass&, std::optional<int>) {
        EXPECT_TRUE(has_fft_pass(shape)) << static_cast<int>(shape.lines) << ", 2^"
                                         << shape.log_length << " x 2^" << shape.log_width;
    };
    for (const std::int64_t cache : {0, 40'000'000, 50'000'000, 63'000'000, 126'000'000}) {
        for (int log = 20; log <= 30; ++log)
            for_each_pass(split_fft(std::int64_t{1} << log, cache).value(),
                          FftBuffers{&points, &points, &points, &points, &points}, exists);
        for (int log = 6; log <= 17; ++log)
            for_each_pass(split_columns(std::int64_t{1} << log, 1 << 10, cache).value(),
                          FftBuffers{&points, nullptr, &points, &points, &points}, exists);
    }
}

}  // namespace
}  // namespace quartet::fft
