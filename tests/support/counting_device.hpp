#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "device/device.hpp"
#include "device/host/matrix/host_matrix_factory.hpp"

namespace quartet::device {

/// A host device that counts the memory that is allocated from it, also by matrix shares.
class CountingDevice final : public Device {
  public:
    /// Borrows the host device; `threads` are those of its matrix shares.
    CountingDevice(Device& device, int threads)
        : device_(device), matrices_(make_host_matrix_factory(threads, *this)) {}

    /// Everything so far, freed or not.
    [[nodiscard]] Bytes allocated() const { return allocated_; }

    Allocation allocate(Bytes size, MemoryKind kind) override {
        allocated_ = allocated_ + size;
        return device_.allocate(size, kind);
    }

    [[nodiscard]] std::string_view name() const override { return device_.name(); }
    [[nodiscard]] std::string description() const override { return device_.description(); }
    [[nodiscard]] MemoryKind memory_kind() const override { return device_.memory_kind(); }
    std::unique_ptr<Stream> make_stream(std::string stream, StreamKind kind) override {
        return device_.make_stream(std::move(stream), kind);
    }
    std::unique_ptr<Event> make_event() override { return device_.make_event(); }
    void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) override {
        device_.copy(from, to, stream);
    }
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override {
        return device_.time(times, enqueue, stream);
    }
    std::unique_ptr<Recording> record(Operations operations) override {
        return device_.record(std::move(operations));
    }
    [[nodiscard]] Blas& blas() const override { return device_.blas(); }
    [[nodiscard]] VectorOperations& vectors() const override { return device_.vectors(); }
    [[nodiscard]] CgKernels& cg_kernels() const override { return device_.cg_kernels(); }
    [[nodiscard]] FftFactory& ffts() const override { return device_.ffts(); }
    [[nodiscard]] MatrixFactory& matrices() const override { return *matrices_; }

  private:
    Device& device_;
    std::unique_ptr<MatrixFactory> matrices_;
    Bytes allocated_;
};

}  // namespace quartet::device
