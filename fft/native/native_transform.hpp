#pragma once

#include <memory>
#include <string>

#include "comm/transport/transport.hpp"
#include "fft/native/native_plan.hpp"

namespace quartet::fft {

/// One prepared transform of this rank's tiles: its FFT plans and exchanges.
class NativeTransform {
  public:
    virtual ~NativeTransform() = default;
    /// Enqueues the transform; allocates nothing. Collective.
    virtual void run(device::Stream& stream) = 0;
    /// This rank's part of the result.
    [[nodiscard]] virtual device::View<Point> result() = 0;
    /// The algorithms, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
};

/// The transform that a plan asks for. `input` holds this rank's tiles, one after another; device,
/// transport, input and buffers outlive it. Collective.
std::unique_ptr<NativeTransform> make_native_transform(const NativePlan& plan,
                                                       device::Device& device,
                                                       comm::Transport& transport,
                                                       device::View<Point> input,
                                                       NativeBuffers& buffers);

}  // namespace quartet::fft
