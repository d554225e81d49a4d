#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/transport/transport.hpp"
#include "device/device.hpp"
#include "fft/native/native_transform.hpp"

namespace quartet::fft {

/// Column FFTs with twiddles, one exchange, row FFTs (device/four_step_fft.hpp). Where the
/// transport reads in place, the row FFTs read what other ranks have written.
class TransposedTransform final : public NativeTransform {
  public:
    /// `parts` is what this rank sends, by receiver; `transposed` gets the result. Collective.
    TransposedTransform(const NativePlan& plan, device::Device& device, comm::Transport& transport,
                        device::View<Point> input, device::View<double> parts,
                        device::View<Point> transposed);

    void run(device::Stream& stream) override;
    [[nodiscard]] device::View<Point> result() override { return transposed_; }
    [[nodiscard]] std::string description() const override;

  private:
    device::View<const Point> input_;
    device::View<double> parts_;
    device::View<Point> transposed_;
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    std::unique_ptr<device::RowFfts> row_ffts_;
    std::unique_ptr<comm::Exchange> exchange_;
    std::vector<device::View<const double>> received_;  ///< by sender
};

/// A TransposedTransform, then a second exchange into natural order.
class NaturalTransform final : public NativeTransform {
  public:
    /// Collective.
    NaturalTransform(const NativePlan& plan, device::Device& device, comm::Transport& transport,
                     device::View<Point> input, NativeBuffers& buffers);

    void run(device::Stream& stream) override;
    [[nodiscard]] device::View<Point> result() override { return natural_; }
    [[nodiscard]] std::string description() const override { return transposed_.description(); }

  private:
    TransposedTransform transposed_;
    device::View<Point> natural_;
    std::unique_ptr<device::Transpose> transpose_;
    std::unique_ptr<comm::Exchange> exchange_;
    std::vector<device::View<const Point>> received_;  ///< by sender
};

}  // namespace quartet::fft
