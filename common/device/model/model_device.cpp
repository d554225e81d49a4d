#include "device/model/model_device.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/host_stream.hpp"
#include "device/host/runtime/require_host.hpp"
#include "device/model/emulation.hpp"
#include "device/model/model_ffts.hpp"
#include "device/model/model_linear_algebra.hpp"
#include "device/multiply_add_probe.hpp"

namespace quartet::device {

namespace {

// Smaller memory is real, and so are copies of so little: scalars and histories are read.
constexpr Bytes least_unread = mebibytes(1);

/// While it exists, work is a part of a recording.
class Nested {
  public:
    explicit Nested(int& depth) : depth_(depth) { ++depth_; }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

  private:
    int& depth_;
};

class ModelDevice final : public Device {
  public:
    ModelDevice(MachineRates rates, Trace& trace)
        : work_(std::move(rates)),
          trace_(trace),
          blas_(make_model_blas(work_)),
          vectors_(make_model_vector_operations(work_)),
          cg_kernels_(make_model_cg_kernels(work_)),
          ffts_(make_model_fft_factory(work_)),
          matrices_(make_model_matrix_factory(work_)) {}

    [[nodiscard]] std::string_view name() const override { return "model"; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("model of {}: memory at {:.4g} GB/s; {}; {}", work_.rates().name,
                           work_.rates().memory / 1e9, blas_->description(), ffts_->description());
    }
    [[nodiscard]] MemoryKind memory_kind() const override { return MemoryKind::host; }
    [[nodiscard]] Results results() const override { return emulation_results(); }

    Allocation allocate(Bytes size, MemoryKind kind) override {
        check(kind != MemoryKind::device, "the model device has no memory of an accelerator");
        return size < least_unread ? allocate_host_memory(size, kind, 1)
                                   : allocate_unread(size, kind);
    }
    // No stream has a thread: simulated time passes for a whole rank.
    std::unique_ptr<Stream> make_stream(std::string name, StreamKind /*kind*/) override {
        return make_host_stream(HostStreams::inline_call, trace_.track(std::move(name)));
    }
    std::unique_ptr<Event> make_event() override { return make_host_event(); }

    void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) override;
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override {
        return time_by_clock(times, enqueue, stream);
    }
    // One launch, whatever is in it.
    Operations record(Operations operations) override {
        return [this, operations = std::move(operations)](Stream& stream) {
            ModelWork::enqueue(work_.traffic(0), "launch", stream);
            const Nested nested(work_.recorded());
            operations(stream);
        };
    }
    [[nodiscard]] Blas& blas() const override { return *blas_; }
    [[nodiscard]] VectorOperations& vectors() const override { return *vectors_; }
    [[nodiscard]] CgKernels& cg_kernels() const override { return *cg_kernels_; }
    [[nodiscard]] FftFactory& ffts() const override { return *ffts_; }
    [[nodiscard]] MatrixFactory& matrices() const override { return *matrices_; }
    [[nodiscard]] std::unique_ptr<MultiplyAddProbe> make_multiply_add_probe(
        FloatFormat /*format*/) const override {
        return nullptr;
    }

  private:
    ModelWork work_;
    Trace& trace_;
    std::unique_ptr<Blas> blas_;
    std::unique_ptr<VectorOperations> vectors_;
    std::unique_ptr<CgKernels> cg_kernels_;
    std::unique_ptr<FftFactory> ffts_;
    std::unique_ptr<MatrixFactory> matrices_;
};

void ModelDevice::copy(View<const std::byte> from, View<std::byte> to, Stream& stream) {
    require_host(from, to.size(), "copy: source and target differ in size");
    require_host(to);
    require_apart(from, to);
    const Seconds time = work_.traffic(2 * static_cast<double>(to.size()));
    const bool is_read = to.bytes() < least_unread;
    const auto work = [time, source = from.data(), target = to.data(),
                       size = is_read ? to.size() : 0] {
        const Seconds begin = now();
        if (size > 0) {
            std::memcpy(target, source, static_cast<std::size_t>(size));
        }
        let_pass(begin + time - now());
    };
    stream.enqueue(Phase::copy_in, "copy", work);
}

}  // namespace

std::unique_ptr<Device> make_model_device(MachineRates rates, Trace& trace) {
    return std::make_unique<ModelDevice>(std::move(rates), trace);
}

DeviceKind model_device() {
    return {
        .name = "model",
        .processor = Processor::host,
        .results = emulation_results(),
        .why_not = [] { return std::nullopt; },
        .visible = [] { return std::vector<std::string>{}; },
        .make =
            [](const DeviceSettings& settings, Trace& trace) {
                if (!settings.rates) {
                    throw UsageError("--device model: no machine is described: add --machine FILE");
                }
                return make_model_device(*settings.rates, trace);
            }};
}

}  // namespace quartet::device
