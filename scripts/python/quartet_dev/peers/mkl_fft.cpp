// mkl_fft POINTS RUNS FILE: one transform of complex doubles over all ranks by MKL's cluster FFT,
// one thread a rank, natural order in and out. It is made in place, in place with a workspace and
// out of place; the fastest goes to FILE. Each is checked: a transform and back are the input, and
// that of a shifted impulse is known. Calls are those of Intel's "Developer Reference for oneMKL",
// Cluster FFT Functions. The preset host-mkl builds it, mkl.py runs it.

#include <mkl_cdft.h>
#include <mkl_service.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using Complex = std::complex<double>;

void check(MKL_LONG status, const char* what) {
    if (status != 0) {
        std::fprintf(stderr, "mkl_fft: %s failed: %s\n", what, DftiErrorMessage(status));
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

double maximum(double mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return mine;
}

/// Points on huge pages if the system has some, as Quartet's are.
class Array {
  public:
    explicit Array(std::size_t size)
        : data_(static_cast<Complex*>(std::aligned_alloc(page, bytes(size))), &std::free) {
        check(data_ ? 0 : DFTI_MEMORY_ERROR, "an array's allocation");
        madvise(data_.get(), bytes(size), MADV_HUGEPAGE);
        std::fill_n(data_.get(), size, Complex{});
    }
    [[nodiscard]] Complex* data() const { return data_.get(); }

  private:
    static constexpr std::size_t page = std::size_t{1} << 21;
    static std::size_t bytes(std::size_t size) {
        return (size * sizeof(Complex) / page + 1) * page;
    }

    std::unique_ptr<Complex, decltype(&std::free)> data_;
};

enum class Memory { in_place, workspace, out_of_place };

/// A rank's part of the transform. All calls are collective.
class Transform {
  public:
    Transform(MKL_LONG points, Memory memory) : memory_(memory) {
        check(DftiCreateDescriptorDM(MPI_COMM_WORLD, &plan_, DFTI_DOUBLE, DFTI_COMPLEX, 1, points),
              "DftiCreateDescriptorDM");
        set(DFTI_BACKWARD_SCALE, 1 / static_cast<double>(points));
        if (memory == Memory::out_of_place) {
            set(DFTI_PLACEMENT, DFTI_NOT_INPLACE);
        }
        const std::size_t size = get(CDFT_LOCAL_SIZE);
        data_ = std::make_unique<Array>(size);
        if (memory != Memory::in_place) {
            other_ = std::make_unique<Array>(size);
        }
        if (memory == Memory::workspace) {
            set(CDFT_WORKSPACE, other_->data());
        }
        check(DftiCommitDescriptorDM(plan_), "DftiCommitDescriptorDM");
    }
    ~Transform() { DftiFreeDescriptorDM(&plan_); }
    Transform(const Transform&) = delete;
    Transform& operator=(const Transform&) = delete;

    [[nodiscard]] std::size_t input_begin() const { return get(CDFT_LOCAL_X_START); }
    [[nodiscard]] std::size_t output_begin() const { return get(CDFT_LOCAL_OUT_X_START); }
    [[nodiscard]] std::span<Complex> input() const { return {data_->data(), get(CDFT_LOCAL_NX)}; }
    [[nodiscard]] std::span<Complex> output() const { return {result(), get(CDFT_LOCAL_OUT_NX)}; }
    void forward() const {
        check(memory_ == Memory::out_of_place ? DftiComputeForwardDM(plan_, data_->data(), result())
                                              : DftiComputeForwardDM(plan_, data_->data()),
              "DftiComputeForwardDM");
    }
    void backward() const {
        check(memory_ == Memory::out_of_place
                  ? DftiComputeBackwardDM(plan_, result(), data_->data())
                  : DftiComputeBackwardDM(plan_, data_->data()),
              "DftiComputeBackwardDM");
    }

  private:
    template <typename Value>
    void set(int parameter, Value value) const {
        check(DftiSetValueDM(plan_, parameter, value), "DftiSetValueDM");
    }
    [[nodiscard]] std::size_t get(int parameter) const {
        MKL_LONG value = 0;
        check(DftiGetValueDM(plan_, parameter, &value), "DftiGetValueDM");
        return static_cast<std::size_t>(value);
    }
    [[nodiscard]] Complex* result() const {
        return memory_ == Memory::out_of_place ? other_->data() : data_->data();
    }

    Memory memory_;
    DFTI_DESCRIPTOR_DM_HANDLE plan_ = nullptr;
    std::unique_ptr<Array> data_;
    std::unique_ptr<Array> other_;
};

/// Seconds of the slowest rank: the median of `runs`, after one that does not count.
double time_of(const Transform& transform, std::span<const Complex> input, int runs) {
    std::vector<double> times;
    for (int run = 0; run <= runs; ++run) {
        std::ranges::copy(input, transform.input().begin());
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        transform.forward();
        times.push_back(maximum(MPI_Wtime() - begin));
    }
    const auto median = times.begin() + 1 + runs / 2;
    std::nth_element(times.begin() + 1, median, times.end());
    return *median;
}

/// The largest error of a transform and back, where forward() was called last.
double round_trip_error(const Transform& transform, std::span<const Complex> input) {
    transform.backward();
    double error = 0;
    for (std::size_t n = 0; n < input.size(); ++n) {
        error = std::max(error, std::abs(transform.input()[n] - input[n]));
    }
    return maximum(error);
}

/// The largest error of any bin, each in its place, where x_1 = 1 and all others are 0.
double impulse_error(const Transform& transform, double points) {
    std::ranges::fill(transform.input(), Complex{});
    const std::size_t at = 1 - transform.input_begin();  // wraps on all ranks that do not have it
    if (at < transform.input().size()) {
        transform.input()[at] = 1;
    }
    transform.forward();
    double error = 0;
    const std::span<const Complex> bins = transform.output();
    for (std::size_t k = 0; k < bins.size(); ++k) {
        const auto bin = static_cast<double>(transform.output_begin() + k);
        error = std::max(error,
                         std::abs(bins[k] - std::polar(1.0, -2 * std::numbers::pi * bin / points)));
    }
    return maximum(error);
}

std::vector<Complex> random_points(std::size_t count, int rank) {
    std::mt19937_64 bits(static_cast<std::uint64_t>(rank));
    std::uniform_real_distribution<double> number(-0.5, 0.5);
    std::vector<Complex> points(count);
    for (Complex& point : points) {
        point = {number(bits), number(bits)};
    }
    return points;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 4) {
        std::fprintf(stderr, "mkl_fft: give POINTS RUNS FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const MKL_LONG points = std::atol(argv[1]);
    const int runs = std::atoi(argv[2]);
    mkl_set_num_threads(1);

    double seconds = HUGE_VAL;
    double error = 0;
    std::string fastest;
    for (const auto& [memory, name] : {std::pair{Memory::in_place, "in place"},
                                       std::pair{Memory::workspace, "in place with a workspace"},
                                       std::pair{Memory::out_of_place, "out of place"}}) {
        const Transform transform(points, memory);
        const std::vector<Complex> input = random_points(transform.input().size(), rank);
        const double time = time_of(transform, input, runs);
        if (time < seconds) {
            seconds = time;
            fastest = name;
        }
        error = std::max({error, round_trip_error(transform, input),
                          impulse_error(transform, static_cast<double>(points))});
    }
    if (rank == 0) {
        MKLVersion version{};
        mkl_get_version(&version);
        std::FILE* const file = std::fopen(argv[3], "w");
        check(file != nullptr ? 0 : DFTI_BAD_DESCRIPTOR, "opening the file");
        std::fprintf(file,
                     "{\"points\": %lld, \"ranks\": %d, \"seconds\": %.9g, \"error\": %.9g, "
                     "\"memory\": \"%s\", "
                     "\"version\": \"%d.%d\", \"processor\": \"%s\"}\n",
                     static_cast<long long>(points), ranks, seconds, error, fastest.c_str(),
                     version.MajorVersion, version.UpdateVersion, version.Processor);
        check(std::fclose(file) == 0 ? 0 : DFTI_BAD_DESCRIPTOR, "writing the file");
    }
    MPI_Finalize();
}
