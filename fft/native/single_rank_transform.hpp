#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"
#include "device/fft_factory.hpp"
#include "fft/native/native_transform.hpp"

namespace quartet::fft {

/// One rank's transform by a SingleRankFft, the result beside the input.
class SingleRankTransform final : public NativeTransform {
  public:
    SingleRankTransform(const NativePlan& plan, device::Device& device, device::View<Point> input,
                        device::View<Point> result)
        : fft_(device.ffts().plan_single_rank_fft(plan.shape)), input_(input), result_(result) {}

    void run(device::Stream& stream) override { fft_->run(input_, result_, stream); }
    [[nodiscard]] device::View<Point> result() override { return result_; }
    [[nodiscard]] std::string description() const override { return fft_->description(); }

  private:
    std::unique_ptr<device::SingleRankFft> fft_;
    device::View<const Point> input_;
    device::View<Point> result_;
};

/// The transform that a user would call: the device's own of one length, planned as such.
class LibraryTransform final : public NativeTransform {
  public:
    LibraryTransform(const NativePlan& plan, device::Device& device, device::View<Point> input,
                     device::View<Point> result)
        : fft_(device.ffts().plan_fft({plan.problem.points, 1})),
          input_(input),
          result_(result),
          description_(device.ffts().description()) {}

    void run(device::Stream& stream) override { fft_->forward(input_, result_, stream); }
    [[nodiscard]] device::View<Point> result() override { return result_; }
    [[nodiscard]] std::string description() const override {
        return description_ + "'s own transform, out of place, in natural order";
    }

  private:
    std::unique_ptr<device::FftPlan> fft_;
    device::View<const Point> input_;
    device::View<Point> result_;
    std::string description_;
};

/// The same over the input.
class InPlaceTransform final : public NativeTransform {
  public:
    InPlaceTransform(const NativePlan& plan, device::Device& device, device::View<Point> input)
        : fft_(device.ffts().plan_single_rank_fft(plan.shape)), points_(input) {}

    void run(device::Stream& stream) override {
        fft_->run(device::View<const Point>(points_), points_, stream);
    }
    [[nodiscard]] device::View<Point> result() override { return points_; }
    [[nodiscard]] std::string description() const override {
        return fft_->description() + "; in place, made anew for each run";
    }

  private:
    std::unique_ptr<device::SingleRankFft> fft_;
    device::View<Point> points_;
};

}  // namespace quartet::fft
