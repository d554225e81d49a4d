#include "device/host/host_device.hpp"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "core/block_range.hpp"
#include "device/host/blas/host_blas.hpp"
#include "device/host/host_vectors.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "device/multiply_add_probe.hpp"
#include "device/require_views.hpp"
#include "system/parallel_for.hpp"
#include "system/processor.hpp"
#include "system/system_text.hpp"

namespace quartet::device {

namespace {

HostSettings checked(const HostSettings& settings) {
    if (settings.threads < 1 || settings.threads > DeviceSettings::most_threads)
        throw Failure("cannot use " + std::to_string(settings.threads) + " threads (1 to " +
                      std::to_string(DeviceSettings::most_threads) + " are allowed)");
    return settings;
}

class HostDevice final : public Device {
  public:
    HostDevice(const HostSettings& settings, Trace& trace)
        : settings_(checked(settings)),
          trace_(trace),
          blas_(make_host_blas(settings.threads)),
          vectors_(make_host_vector_operations(settings.threads, *settings.loops)) {}

    [[nodiscard]] std::string_view name() const override { return "host"; }
    [[nodiscard]] std::string description() const override {
        return system::processor_name(system::read_text("/proc/cpuinfo").value_or("")) + "; " +
               blas_->description();
    }
    [[nodiscard]] std::string_view isa() const override { return settings_.loops->isa; }
    [[nodiscard]] int threads() const override { return settings_.threads; }
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
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override {
        return time_by_clock(times, enqueue, stream);
    }
    // Enqueueing each operation costs next to nothing here.
    Operations record(Operations operations) override { return operations; }
    [[nodiscard]] Blas& blas() const override { return *blas_; }
    [[nodiscard]] VectorOperations& vectors() const override { return *vectors_; }
    [[nodiscard]] std::unique_ptr<MultiplyAddProbe> make_multiply_add_probe(
        FloatFormat format) const override {
        return make_host_multiply_add_probe(format, settings_.threads);
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

}  // namespace

std::unique_ptr<Device> make_host_device(const HostSettings& settings, Trace& trace) {
    return std::make_unique<HostDevice>(settings, trace);
}

DeviceKind host_device() {
    return {.name = "host",
            .processor = Processor::host,
            .why_not = [] { return std::nullopt; },
            .visible = [] { return std::vector<std::string>{}; },
            .make =
                [](const DeviceSettings& settings, Trace& trace) {
                    return make_host_device(
                        {.threads = settings.threads, .loops = &loops_for(settings.isa)}, trace);
                }};
}

}  // namespace quartet::device
