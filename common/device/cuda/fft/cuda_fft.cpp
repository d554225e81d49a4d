#include "device/cuda/fft/cuda_ffts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "device/cuda/runtime/batch_split.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

void check_status(cufftResult status, const char* call) {
    if (status != CUFFT_SUCCESS) [[unlikely]]
        throw Failure(fmt::format("{} failed (cuFFT's error {}): use a smaller size", call,
                                  static_cast<int>(status)));
}

cufftDoubleComplex* as_cufft(Point* data) {
    return reinterpret_cast<cufftDoubleComplex*>(data);
}

/// A cuFFT plan without its own workspace.
class Plan {
  public:
    Plan(const FftShape& shape, std::shared_ptr<const CufftLibrary> library);
    Plan(const StridedFft& shape, std::shared_ptr<const CufftLibrary> library);
    Plan(Plan&& other) noexcept
        : library_(std::move(other.library_)),
          handle_(other.handle_),
          workspace_(other.workspace_) {}
    Plan& operator=(Plan&& other) noexcept {
        std::swap(library_, other.library_);
        std::swap(handle_, other.handle_);
        std::swap(workspace_, other.workspace_);
        return *this;
    }
    ~Plan() {
        if (library_)
            static_cast<void>(library_->destroy(handle_));
    }

    [[nodiscard]] Bytes workspace() const { return workspace_; }
    void use_workspace(std::byte* memory) const {
        check_status(library_->set_work_area(handle_, memory), "cufftSetWorkArea");
    }
    // Out of place, cuFFT keeps the input of complex transforms, but does not say so by const.
    void execute(const Point* from, Point* to, cudaStream_t stream) const {
        check_status(library_->set_stream(handle_, stream), "cufftSetStream");
        check_status(library_->execute(handle_, as_cufft(const_cast<Point*>(from)), as_cufft(to),
                                       CUFFT_FORWARD),
                     "cufftExecZ2Z");
    }

  private:
    // Delegated to, so that the handle is destroyed where planning fails.
    explicit Plan(std::shared_ptr<const CufftLibrary> library) : library_(std::move(library)) {
        check_status(library_->create(&handle_), "cufftCreate");
    }

    std::shared_ptr<const CufftLibrary> library_;
    cufftHandle handle_ = 0;
    Bytes workspace_;
};

Plan::Plan(const FftShape& shape, std::shared_ptr<const CufftLibrary> library)
    : Plan(std::move(library)) {
    check_status(library_->set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
    long long length = shape.length;
    std::size_t workspace = 0;
    check_status(library_->make_plan_many(handle_, 1, &length, nullptr, 1, length, nullptr, 1,
                                          length, CUFFT_Z2Z, shape.batch, &workspace),
                 "cufftMakePlanMany64");
    workspace_ = {static_cast<std::int64_t>(workspace)};
}

Plan::Plan(const StridedFft& shape, std::shared_ptr<const CufftLibrary> library)
    : Plan(std::move(library)) {
    check_status(library_->set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
    long long length = shape.length;
    std::size_t workspace = 0;
    // In one dimension the extent of a layout is asked for, but not used.
    check_status(
        library_->make_plan_many(handle_, 1, &length, &length, shape.step, shape.distance, &length,
                                 shape.step, shape.distance, CUFFT_Z2Z, shape.batch, &workspace),
        "cufftMakePlanMany64");
    workspace_ = {static_cast<std::int64_t>(workspace)};
}

/// A plan for a batch of up to `batch`, which it sets, whose workspace is within bounds, or of one
/// transform. What happens to be free does not count: another split may give other bits.
Plan plan_within_bounds(std::int64_t length, std::int64_t& batch, Bytes most_workspace,
                        const std::shared_ptr<const CufftLibrary>& library) {
    while (true) {
        Plan plan(FftShape{length, batch}, library);
        if (batch == 1 || plan.workspace() <= most_workspace)
            return plan;
        batch = (batch + 1) / 2;
    }
}

class CudaFftPlan final : public FftPlan {
  public:
    CudaFftPlan(const FftShape& shape, const std::shared_ptr<const CufftLibrary>& library,
                CudaMemory& memory, Bytes most_workspace);

    void forward(View<const Point> input, View<Point> output, Stream& stream) override;

  private:
    [[nodiscard]] std::int64_t points() const { return shape_.length * shape_.batch; }
    void execute(const Point* from, Point* to, cudaStream_t stream) const;

    FftShape shape_;
    BatchSplit split_;
    std::vector<Plan> plans_;  ///< of all pieces but the last, and of the last where it differs
    Allocation workspace_;
    CudaEvent used_;
};

CudaFftPlan::CudaFftPlan(const FftShape& shape, const std::shared_ptr<const CufftLibrary>& library,
                         CudaMemory& memory, Bytes most_workspace)
    : shape_(shape) {
    if (shape.batch == 0 || shape.length == 1)
        return;
    // About the workspace of a batch is known before planning it: the size of its points.
    const Bytes transform = bytes_of<Point>(shape.length);
    std::int64_t most = std::max<std::int64_t>(1, most_workspace.value / transform.value);
    most = split_batch(shape.batch, most).each;
    plans_.push_back(plan_within_bounds(shape.length, most, most_workspace, library));
    split_ = split_batch(shape.batch, most);
    if (split_.each != most)
        plans_.front() = Plan(FftShape{shape.length, split_.each}, library);
    if (split_.last != split_.each)
        plans_.emplace_back(FftShape{shape.length, split_.last}, library);
    Bytes largest = kibibytes(1);  // cuFFT wants a place even where it needs none
    for (const Plan& plan : plans_)
        largest = std::max(largest, plan.workspace());
    workspace_ = memory.allocate(largest, MemoryKind::device);
    for (const Plan& plan : plans_)
        plan.use_workspace(workspace_.data.get());
}

void CudaFftPlan::forward(View<const Point> input, View<Point> output, Stream& stream) {
    require_device(input, points(), "fft: the input's size is not batch x length");
    require_device(output, points(), "fft: the output's size is not batch x length");
    require_apart(input, output);
    const auto aligned = [](const void* data) {
        return reinterpret_cast<std::uintptr_t>(data) % sizeof(Point) == 0;
    };
    check(aligned(input.data()) && aligned(output.data()),
          "fft: input and output must be aligned to whole points (16 bytes)");
    if (input.empty())
        return;
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "fft", [&](cudaStream_t handle) {
        if (shape_.length == 1)
            cuda_check(cudaMemcpyAsync(output.data(), input.data(),
                                       static_cast<std::size_t>(input.bytes().value),
                                       cudaMemcpyDeviceToDevice, handle),
                       "cudaMemcpyAsync");
        else
            execute(input.data(), output.data(), handle);
    });
    stream.record(used_);
}

void CudaFftPlan::execute(const Point* from, Point* to, cudaStream_t stream) const {
    const std::int64_t step = split_.each * shape_.length;
    for (std::int64_t piece = 0; piece < split_.pieces; ++piece) {
        const bool last = piece == split_.pieces - 1;
        (last ? plans_.back() : plans_.front())
            .execute(from + piece * step, to + piece * step, stream);
    }
}

class StridedPlan final : public CudaStridedFft {
  public:
    StridedPlan(const StridedFft& shape, std::shared_ptr<const CufftLibrary> library,
                CudaMemory& memory)
        : plan_(shape, std::move(library)),
          workspace_(
              memory.allocate(std::max(kibibytes(1), plan_.workspace()), MemoryKind::device)) {
        plan_.use_workspace(workspace_.data.get());
    }

    void run(const Point* from, Point* to, cudaStream_t stream) const override {
        plan_.execute(from, to, stream);
    }

  private:
    Plan plan_;
    Allocation workspace_;
};

}  // namespace

std::unique_ptr<CudaStridedFft> plan_cuda_strided_fft(const StridedFft& shape,
                                                      std::shared_ptr<const CufftLibrary> library,
                                                      CudaMemory& memory) {
    check(shape.length >= 2 && shape.batch >= 1 && shape.step >= 1 && shape.distance >= 1,
          "fft: no such transforms");
    return std::make_unique<StridedPlan>(shape, std::move(library), memory);
}

std::unique_ptr<FftPlan> plan_cuda_fft(const FftShape& shape,
                                       const std::shared_ptr<const CufftLibrary>& library,
                                       CudaMemory& memory, Bytes most_workspace) {
    constexpr std::int64_t most =
        std::numeric_limits<std::int64_t>::max() / std::int64_t{sizeof(Point)};
    check(shape.length >= 1 && shape.batch >= 0, "fft: a length below 1 or a negative batch");
    check(shape.batch <= most / shape.length, "fft: batch x length outgrows the address space");
    return std::make_unique<CudaFftPlan>(shape, library, memory, most_workspace);
}

std::string cuda_fft_description(const CufftLibrary& library) {
    int version = 0;
    check_status(library.get_version(&version), "cufftGetVersion");
    return fmt::format("cuFFT {}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

}  // namespace quartet::device
