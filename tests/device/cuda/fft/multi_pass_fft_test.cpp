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

// Four chunks, two in each lane; twice, on two streams that an event orders.
TEST_F(MultiPassFftTest, TransformsColumnsInLanes) {
    const ColumnSplit split{.columns = 6, .first = 7, .second = 6, .chunk = 4};
    const int log_tiles = split.first + split.second;
    const std::int64_t columns = std::int64_t{1} << split.columns;
    const std::int64_t tiles = std::int64_t{1} << log_tiles;
    const std::vector<double2> input = points(tiles * columns);
    std::vector<LongPoint> wanted(input.size());
    for (const std::int64_t j : {std::int64_t{0}, columns / 4 + 1, columns / 2 + 3, columns - 1}) {
        std::vector<LongPoint> line;
        for (std::int64_t t = 0; t < tiles; ++t)
            line.push_back(LongPoint{input[at(t * columns + j)].x, input[at(t * columns + j)].y} *
                           root_of_unity(t * j, log_tiles + split.columns));
        const std::vector<LongPoint> results = transformed(line, log_tiles);
        for (std::int64_t k = 0; k < tiles; ++k)
            wanted[at(k * columns + j)] = results[at(k)];
    }
    const GpuArray<double2> first(input), second(input);
    MultiPassColumns fft(split, *memory);
    cudaStream_t other = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "a stream");
    CudaEvent used;

    fft.run(first.data(), stream);
    cuda_check(cudaEventRecord(used.handle(), stream), "an event");
    cuda_check(cudaStreamWaitEvent(other, used.handle(), 0), "an event");
    fft.run(second.data(), other);
    cuda_check(cudaStreamSynchronize(other), "a stream");
    cuda_check(cudaStreamDestroy(other), "a stream");

    for (const std::vector<double2>& found : {first.values(), second.values()}) {
        std::vector<double2> compared;
        std::vector<LongPoint> expected;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (std::norm(wanted[i]) > 0) {
                compared.push_back(found[i]);
                expected.push_back(wanted[i]);
            }
        EXPECT_LT(relative_error(compared, expected), 2e-15);
    }
}

TEST_F(MultiPassFftTest, DescribesColumns) {
    EXPECT_EQ(MultiPassColumns(split_on_gpu(1 << 12, 1 << 12).value(), *memory).description(),
              "our columns of 2^12 points");
    EXPECT_EQ(MultiPassColumns(split_on_gpu(1 << 15, 1 << 4).value(), *memory).description(),
              "our columns of 2^8 x 2^7 points");
}

}  // namespace
}  // namespace quartet::device
