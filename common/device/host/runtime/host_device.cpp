#include "device/host/runtime/host_device.hpp"

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/block_range.hpp"
#include "device/host/blas/host_blas.hpp"
#include "device/host/fft/host_fft.hpp"
#include "device/host/fft/host_four_step_fft.hpp"
#include "device/host/fft/simd_partial_row_ffts.hpp"
#include "device/host/matrix/host_row_block.hpp"
#include "device/host/matrix/host_triangle_part.hpp"
#include "device/host/matrix/host_vector_operations.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/host/runtime/host_stream.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// The processor's name where the kernel tells it (on x86; not everywhere on Arm).
std::string processor_model() {
    std::ifstream processors("/proc/cpuinfo");
    for (std::string line; std::getline(processors, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "processor of unknown model";
}

HostSettings checked(const HostSettings& settings) {
    if (settings.threads < 1 || settings.threads > maximum_host_threads)
        throw Failure("cannot use " + std::to_string(settings.threads) + " threads (1 to " +
                      std::to_string(maximum_host_threads) + " can be)");
    return settings;
}

/// Enqueuing costs next to nothing: the operations are called again.
class HostRecording final : public Recording {
  public:
    explicit HostRecording(Operations operations) : operations_(std::move(operations)) {}
    void run(Stream& stream) override { operations_(stream); }

  private:
    Operations operations_;
};

class HostDevice final : public Device {
  public:
    HostDevice(const HostSettings& settings, Trace& trace)
        : settings_(checked(settings)),
          trace_(trace),
          blas_(make_host_blas(settings.threads)),
          vectors_(make_host_vector_operations(settings.threads)) {}

    [[nodiscard]] std::string_view name() const override { return "host"; }
    [[nodiscard]] std::string description() const override {
        return processor_model() + "; " + blas_->description() + "; " + host_fft_description();
    }
    [[nodiscard]] MemoryKind memory_kind() const override { return MemoryKind::host; }

    Allocation allocate(Bytes size, MemoryKind kind) override {
        check(kind != MemoryKind::device, "the host device has no memory of an accelerator");
        return allocate_host_memory(size, kind, settings_.threads);
    }
    std::unique_ptr<Stream> make_stream(std::string name, StreamKind kind) override {
        const HostStreams streams =
            kind == StreamKind::transfer ? HostStreams::threaded : settings_.streams;
        return make_host_stream(streams, trace_.track(std::move(name)));
    }
    std::unique_ptr<Event> make_event() override { return make_host_event(); }

    void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) override;
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override;
    std::unique_ptr<Recording> record(Operations operations) override {
        return std::make_unique<HostRecording>(std::move(operations));
    }
    Blas& blas() override { return *blas_; }
    VectorOperations& vectors() override { return *vectors_; }
    std::unique_ptr<FftPlan> plan_fft(const FftShape& shape) override {
        return plan_host_fft(shape, settings_.threads);
    }
    std::unique_ptr<ColumnFfts> plan_column_ffts(const FourStepFft& split) override {
        return plan_host_column_ffts(split, settings_.threads);
    }
    std::unique_ptr<RowFfts> plan_row_ffts(const FourStepFft& split) override {
        return plan_host_row_ffts(split, settings_.threads);
    }
    std::unique_ptr<Transpose> plan_transpose(const FourStepFft& split) override {
        return plan_host_transpose(split, settings_.threads);
    }
    std::unique_ptr<PartialRowFfts> plan_partial_row_ffts(const FourStepFft& split) override {
        return plan_simd_partial_row_ffts(split, settings_.threads);
    }
    std::unique_ptr<ScatterTile> plan_scatter_tile(const FourStepFft& split) override {
        return plan_host_scatter_tile(split, settings_.threads);
    }
    [[nodiscard]] Bytes four_step_fft_memory(const FourStepFft& split) const override {
        return host_four_step_fft_memory(split, settings_.threads);
    }
    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        return make_host_row_block(block, settings_.threads, *this);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        return make_host_triangle_part(part, settings_.threads, *this);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& block) const override {
        return host_row_block_memory(block);
    }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& part) const override {
        return host_triangle_part_memory(part, settings_.threads);
    }

  private:
    HostSettings settings_;
    Trace& trace_;
    std::unique_ptr<Blas> blas_;
    std::unique_ptr<VectorOperations> vectors_;
};

void HostDevice::copy(View<const std::byte> from, View<std::byte> to, Stream& stream) {
    require_host(from, to.size(), "copy: source and target differ in size");
    require_host(to);
    require_apart(from, to);
    const auto work = [parts = settings_.threads, size = to.size(), source = from.data(),
                       target = to.data()] {
        if (size == 0)
            return;
        system::parallel_parts(parts, [=](int part) {
            const Range range = block_range(size, parts, part);
            std::memcpy(target + range.begin, source + range.begin,
                        static_cast<std::size_t>(range.size()));
        });
    };
    stream.enqueue(Phase::copy_in, "copy", work);
}

Seconds HostDevice::time(int times, const std::function<void()>& enqueue, Stream& stream) {
    stream.synchronize();
    const Seconds begin = now();
    for (int call = 0; call < times; ++call)
        enqueue();
    stream.synchronize();
    return (now() - begin) / times;
}

}  // namespace

std::unique_ptr<Device> make_host_device(const HostSettings& settings, Trace& trace) {
    return std::make_unique<HostDevice>(settings, trace);
}

}  // namespace quartet::device
