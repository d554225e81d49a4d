#include "tests/faults/faulty_device.hpp"

#include <utility>

#include "device/blas.hpp"
#include "device/cg_kernels.hpp"
#include "device/matrix_factory.hpp"
#include "device/multiply_add_probe.hpp"
#include "device/vector_operations.hpp"
#include "tests/faults/fault.hpp"

namespace quartet::faults {

namespace {

using device::Factor;
using device::Stream;
using device::View;

class FaultyBlas final : public device::Blas {
  public:
    explicit FaultyBlas(device::Blas& sound) : sound_(sound) {}

    void use(device::Math math) override { sound_.use(math); }

    void gemm(const device::GemmShape& shape, View<const float> a, View<const float> b,
              View<float> c, device::Update update, Stream& stream) override {
        pass_later("operand", a, stream);
        sound_.gemm(shape, a, b, c, update, stream);
        pass_later("gemm", c, stream);
    }
    void gemv(std::int64_t rows, std::int64_t columns, View<const double> a, View<const double> x,
              View<double> y, Stream& stream) override {
        pass_later("matrix", a, stream);
        sound_.gemv(rows, columns, a, x, y, stream);
        pass_later("gemv", y, stream);
    }
    [[nodiscard]] Bytes workspace() const override { return sound_.workspace(); }
    [[nodiscard]] std::string description() const override { return sound_.description(); }

  private:
    device::Blas& sound_;
};

class FaultyVectors final : public device::VectorOperations {
  public:
    explicit FaultyVectors(device::VectorOperations& sound) : sound_(sound) {}

    void add(View<const float> source, View<float> target, Stream& stream) override {
        sound_.add(source, target, stream);
        pass_later("add", target, stream);
    }
    void add(View<const double> source, View<double> target, Stream& stream) override {
        sound_.add(source, target, stream);
        pass_later("add", target, stream);
    }
    void fill(float value, View<float> target, Stream& stream) override {
        sound_.fill(value, target, stream);
    }
    void fill(double value, View<double> target, Stream& stream) override {
        sound_.fill(value, target, stream);
    }
    void copy(View<const double> source, View<double> target, Stream& stream) override {
        sound_.copy(source, target, stream);
    }
    void axpy(Factor factor, View<const double> x, View<double> y, Stream& stream) override {
        sound_.axpy(factor, x, y, stream);
        pass_later("axpy", y, stream);
    }
    void xpay(View<const double> x, Factor factor, View<double> y, Stream& stream) override {
        sound_.xpay(x, factor, y, stream);
        pass_later("xpay", y, stream);
    }
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override {
        sound_.dot(x, y, result, stream);
        pass_later("dot", result, stream);
    }

  private:
    device::VectorOperations& sound_;
};

/// Of the updates, x is what passes.
class FaultyCgKernels final : public device::CgKernels {
  public:
    explicit FaultyCgKernels(device::CgKernels& sound) : sound_(sound) {}

    void update_classic(Factor alpha, const device::ClassicVectors& vectors, View<double> result,
                        Stream& stream) override {
        sound_.update_classic(alpha, vectors, result, stream);
        pass_later("update", vectors.solution, stream);
    }
    void update_single_reduction(Factor beta, Factor alpha,
                                 const device::SingleReductionVectors& vectors, View<double> result,
                                 Stream& stream) override {
        sound_.update_single_reduction(beta, alpha, vectors, result, stream);
        pass_later("update", vectors.solution, stream);
    }
    void update_alpha(View<device::CgScalars> scalars, Stream& stream) override {
        sound_.update_alpha(scalars, stream);
    }
    void update_beta(View<device::CgScalars> scalars, View<double> history,
                     Stream& stream) override {
        sound_.update_beta(scalars, history, stream);
    }
    void update_alpha_beta(View<device::CgScalars> scalars, View<double> history,
                           Stream& stream) override {
        sound_.update_alpha_beta(scalars, history, stream);
    }

  private:
    device::CgKernels& sound_;
};

class FaultyShare final : public device::MatrixShare {
  public:
    explicit FaultyShare(std::unique_ptr<device::MatrixShare> sound) : sound_(std::move(sound)) {}

    void fill(const device::ReadRow& read_row) override { sound_->fill(read_row); }
    void choose_way() override { sound_->choose_way(); }
    void multiply(View<const double> x, View<double> y, Stream& stream) override {
        pass_later("matrix", sound_->storage(), stream);
        sound_->multiply(x, y, stream);
        pass_later("product", y, stream);
    }
    void visit(const device::VisitRow& visit_row) const override { sound_->visit(visit_row); }
    [[nodiscard]] View<const double> storage() const override { return sound_->storage(); }
    [[nodiscard]] std::string description() const override { return sound_->description(); }

  private:
    std::unique_ptr<device::MatrixShare> sound_;
};

class FaultyMatrices final : public device::MatrixFactory {
  public:
    explicit FaultyMatrices(device::MatrixFactory& sound) : sound_(sound) {}

    std::unique_ptr<device::MatrixShare> make_matrix(const device::RowBlock& block) override {
        return std::make_unique<FaultyShare>(sound_.make_matrix(block));
    }
    std::unique_ptr<device::MatrixShare> make_matrix(const device::TrianglePart& part) override {
        return std::make_unique<FaultyShare>(sound_.make_matrix(part));
    }
    [[nodiscard]] Bytes matrix_memory(const device::RowBlock& block) const override {
        return sound_.matrix_memory(block);
    }
    [[nodiscard]] Bytes matrix_memory(const device::TrianglePart& part) const override {
        return sound_.matrix_memory(part);
    }

  private:
    device::MatrixFactory& sound_;
};

class FaultyDevice final : public device::Device {
  public:
    explicit FaultyDevice(std::unique_ptr<device::Device> sound)
        : sound_(std::move(sound)),
          blas_(std::make_unique<FaultyBlas>(sound_->blas())),
          vectors_(std::make_unique<FaultyVectors>(sound_->vectors())),
          cg_kernels_(std::make_unique<FaultyCgKernels>(sound_->cg_kernels())),
          ffts_(make_faulty_ffts(sound_->ffts())),
          matrices_(std::make_unique<FaultyMatrices>(sound_->matrices())) {}

    [[nodiscard]] std::string_view name() const override { return sound_->name(); }
    [[nodiscard]] std::string description() const override { return sound_->description(); }
    [[nodiscard]] device::MemoryKind memory_kind() const override { return sound_->memory_kind(); }
    device::Allocation allocate(Bytes size, device::MemoryKind kind) override {
        return sound_->allocate(size, kind);
    }
    std::unique_ptr<Stream> make_stream(std::string name, device::StreamKind kind) override {
        return sound_->make_stream(std::move(name), kind);
    }
    std::unique_ptr<device::Event> make_event() override { return sound_->make_event(); }
    void copy(View<const std::byte> from, View<std::byte> to, Stream& stream) override {
        sound_->copy(from, to, stream);
    }
    Seconds time(int times, const std::function<void()>& enqueue, Stream& stream) override {
        return sound_->time(times, enqueue, stream);
    }
    device::Operations record(device::Operations operations) override {
        return sound_->record(std::move(operations));
    }
    [[nodiscard]] device::Blas& blas() const override { return *blas_; }
    [[nodiscard]] device::VectorOperations& vectors() const override { return *vectors_; }
    [[nodiscard]] device::CgKernels& cg_kernels() const override { return *cg_kernels_; }
    [[nodiscard]] device::FftFactory& ffts() const override { return *ffts_; }
    [[nodiscard]] device::MatrixFactory& matrices() const override { return *matrices_; }
    [[nodiscard]] std::unique_ptr<device::MultiplyAddProbe> make_multiply_add_probe(
        device::FloatFormat format) const override {
        return sound_->make_multiply_add_probe(format);
    }
    [[nodiscard]] device::Accelerator* accelerator() const override {
        return sound_->accelerator();
    }

  private:
    std::unique_ptr<device::Device> sound_;
    std::unique_ptr<device::Blas> blas_;
    std::unique_ptr<device::VectorOperations> vectors_;
    std::unique_ptr<device::CgKernels> cg_kernels_;
    std::unique_ptr<device::FftFactory> ffts_;
    std::unique_ptr<device::MatrixFactory> matrices_;
};

}  // namespace

device::DeviceKind faulty(const device::DeviceKind& sound) {
    device::DeviceKind kind = sound;
    kind.make = [make = sound.make](const device::DeviceSettings& settings, Trace& trace) {
        prepare_fault();
        return std::make_unique<FaultyDevice>(make(settings, trace));
    };
    return kind;
}

}  // namespace quartet::faults
