#include "fft/native/four_step_transform.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "device/fft_factory.hpp"

namespace quartet::fft {

namespace {

/// One rank's exchange with itself: what it writes is read where it is.
class NoExchange final : public comm::Exchange {
  public:
    explicit NoExchange(device::View<const std::byte> data) : parts_{data} {}

    void run(device::Stream&) override {}
    void release(device::Stream&) override {}
    [[nodiscard]] comm::PartLocation location() const override {
        return comm::PartLocation::at_sender;
    }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }

  private:
    std::array<device::View<const std::byte>, 1> parts_;
};

std::unique_ptr<comm::Exchange> exchange_of_parts(const device::FourStepFft& shape,
                                                  comm::Transport& transport,
                                                  device::View<const double> parts) {
    comm::ExchangePlan plan{device::as_bytes(parts), {}};
    if (shape.ranks == 1) {
        return std::make_unique<NoExchange>(plan.send);
    }
    for (int to = 0; to < shape.ranks; ++to) {
        plan.counts.push_back(bytes_of<double>(shape.part_size(shape.rank, to)).value);
    }
    return transport.prepare_exchange(plan);
}

std::unique_ptr<comm::Exchange> exchange_of_bins(const device::FourStepFft& shape,
                                                 comm::Transport& transport,
                                                 device::View<const Point> bins) {
    comm::ExchangePlan plan{device::as_bytes(bins), {}};
    for (int to = 0; to < shape.ranks; ++to) {
        plan.counts.push_back(bytes_of<Point>(natural_part_points(shape, shape.rank, to)).value);
    }
    return transport.prepare_exchange(plan);
}

template <typename T>
std::vector<device::View<const T>> parts_of(const comm::Exchange& exchange) {
    std::vector<device::View<const T>> parts;
    for (const device::View<const std::byte>& part : exchange.parts()) {
        parts.push_back(device::view_as<T>(part));
    }
    return parts;
}

}  // namespace

TransposedTransform::TransposedTransform(const NativePlan& plan, device::Device& device,
                                         comm::Transport& transport, device::View<Point> input,
                                         device::View<double> parts, device::View<Point> transposed)
    : input_(input),
      parts_(parts),
      transposed_(transposed),
      column_ffts_(device.ffts().plan_column_ffts(plan.shape)),
      row_ffts_(device.ffts().plan_row_ffts(plan.shape)),
      exchange_(exchange_of_parts(plan.shape, transport, parts)),
      received_(parts_of<double>(*exchange_)) {}

void TransposedTransform::run(device::Stream& stream) {
    column_ffts_->run(input_, parts_, stream);
    exchange_->run(stream);
    row_ffts_->run(received_, transposed_, stream);
    exchange_->release(stream);
}

std::string TransposedTransform::description() const {
    return fmt::format("tiles by {}; sums by {}", column_ffts_->description(),
                       row_ffts_->description());
}

NaturalTransform::NaturalTransform(const NativePlan& plan, device::Device& device,
                                   comm::Transport& transport, device::View<Point> input,
                                   NativeBuffers& buffers)
    : transposed_(plan, device, transport, input, buffers.parts.view(), buffers.bins.view()),
      natural_(buffers.result.view()),
      transpose_(device.ffts().plan_transpose(plan.shape)),
      exchange_(
          exchange_of_bins(plan.shape, transport, device::View<const Point>(transposed_.result()))),
      received_(parts_of<Point>(*exchange_)) {}

void NaturalTransform::run(device::Stream& stream) {
    transposed_.run(stream);
    exchange_->run(stream);
    transpose_->run(received_, natural_, stream);
    exchange_->release(stream);
}

}  // namespace quartet::fft
