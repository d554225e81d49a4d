#include "device/host/fft/host_ffts.hpp"

#include <fftw3.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/block_range.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

struct DestroyPlan {
    void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using PlanHandle = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

// Estimated, not measured: what FFTW measures differs from run to run, and so would the plan and
// the bits of the result. Aligned: FFTW_UNALIGNED was measured to cost up to 45%. The 64-bit
// interface, since a batch may outgrow int.
PlanHandle make_plan(const FftShape& shape) {
    // Only their alignment counts: an estimating planner neither reads nor writes the data.
    alignas(64) fftw_complex input[4];
    alignas(64) fftw_complex output[4];
    const fftw_iodim64 transform{shape.length, 1, 1};
    const fftw_iodim64 batch{shape.batch, shape.length, shape.length};
    PlanHandle plan(fftw_plan_guru64_dft(1, &transform, 1, &batch, input, output, FFTW_FORWARD,
                                         FFTW_ESTIMATE | FFTW_PRESERVE_INPUT));
    check(plan != nullptr, "FFTW cannot plan this transform");
    return plan;
}

// std::complex and fftw_complex have the same layout; FFTW keeps the input, as it was planned to.
fftw_complex* as_fftw(const std::complex<double>* data) {
    return reinterpret_cast<fftw_complex*>(const_cast<std::complex<double>*>(data));
}

bool aligned(const std::complex<double>* data) {
    return fftw_alignment_of(reinterpret_cast<double*>(as_fftw(data))) == 0;
}

/// Consecutive transforms that one thread does.
struct Piece {
    std::int64_t offset;  ///< in points
    PlanHandle plan;
};

class HostFftPlan final : public FftPlan {
  public:
    HostFftPlan(const FftShape& shape, int threads) : points_(shape.length * shape.batch) {
        const auto parts = static_cast<int>(std::min<std::int64_t>(threads, shape.batch));
        for (int part = 0; part < parts; ++part) {
            const Range range = block_range(shape.batch, parts, part);
            pieces_.push_back(
                {range.begin * shape.length, make_plan({shape.length, range.size()})});
        }
    }

    void forward(View<const std::complex<double>> input, View<std::complex<double>> output,
                 Stream& stream) override {
        require_host(input, points_, "fft: the input's size is not batch x length");
        require_host(output, points_, "fft: the output's size is not batch x length");
        require_apart(input, output);
        check(aligned(input.data()) && aligned(output.data()),
              "fft: input and output must be aligned to whole points (16 bytes)");
        const auto work = [this, from = as_fftw(input.data()), to = as_fftw(output.data())] {
            if (pieces_.empty())
                return;
            system::parallel_parts(static_cast<int>(pieces_.size()), [this, from, to](int part) {
                const Piece& piece = pieces_[static_cast<std::size_t>(part)];
                fftw_execute_dft(piece.plan.get(), from + piece.offset, to + piece.offset);
            });
        };
        stream.enqueue(Phase::compute, "fft", work);
    }

  private:
    std::int64_t points_;
    std::vector<Piece> pieces_;
};

}  // namespace

std::unique_ptr<FftPlan> plan_host_fft(const FftShape& shape, int threads) {
    constexpr std::int64_t most =
        std::numeric_limits<std::int64_t>::max() / std::int64_t{sizeof(std::complex<double>)};
    check(shape.length >= 1 && shape.batch >= 0, "fft: a length below 1 or a negative batch");
    check(shape.batch <= most / shape.length, "fft: batch x length outgrows the address space");
    return std::make_unique<HostFftPlan>(shape, threads);
}

std::string host_fft_description() {
    const std::string version = fftw_version;
    return version + (lacks_avx2(version, best_loops().isa)
                          ? " (FFTW of this package has no AVX2 code, this processor has AVX2)"
                          : "");
}

bool lacks_avx2(std::string_view fftw, std::string_view isa) {
    return (isa == "avx2" || isa == "avx512") && fftw.starts_with("fftw-") &&
           fftw.find("-avx2") == std::string_view::npos;
}

}  // namespace quartet::device
