#include "device/cuda/fft/multi_pass_fft.hpp"

#include "device/cuda/fft/fft_pass_reference.hpp"
#include "device/cuda/fft/fft_passes_on_gpu.hpp"

namespace quartet::device {
namespace {

class MultiPassFftTest : public FftPassesOnGpu {
  protected:
    static std::vector<double2> points(std::int64_t count) {
        std::vector<double2> made(at(count));
        for (std::int64_t i = 0; i < count; ++i)
            made[at(i)] = {number(3 * i % 1009), number(7 * i % 2003)};
        return made;
    }
    static double relative_error(const std::vector<double2>& found,
                                 const std::vector<LongPoint>& wanted) {
        long double of_errors = 0;
        long double of_results = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            of_errors += std::norm(LongPoint{found[i].x, found[i].y} - wanted[i]);
            of_results += std::norm(wanted[i]);
        }
        return static_cast<double>(std::sqrt(of_errors / of_results));
    }

    std::shared_ptr<CudaMemory> memory = CudaMemory::make(1);
};

TEST_F(MultiPassFftTest, TransformsOutOfPlaceAndInPlace) {
    const int log_points = 20;
    const std::vector<double2> input = points(std::int64_t{1} << log_points);
    std::vector<LongPoint> line;
    for (const double2 point : input)
        line.emplace_back(point.x, point.y);
    const std::vector<LongPoint> wanted = transformed(line, log_points);
    const GpuArray<double2> from(input);
    const GpuArray<double2> to(std::ssize(input), double2{unwritten, unwritten});
    MultiPassFft fft(split_on_gpu(std::ssize(input)).value(), *memory);

    fft.run(from.data(), to.data(), stream);
    fft.run(from.data(), from.data(), stream);
    finish();

    EXPECT_LT(relative_error(to.values(), wanted), 2e-15);
    EXPECT_LT(relative_error(from.values(), wanted), 2e-15);
    EXPECT_EQ(fft.description(), "our passes of 2^10 x 2^10 points");
}

}  // namespace
}  // namespace quartet::device
