#pragma once

#include <memory>

#include "device/fft_factory.hpp"
#include "device/registry/device_registry.hpp"

namespace quartet::faults {

/// The same device, but that what it computes passes the sites gemm, gemv, add, axpy, xpay, dot,
/// update, product, columns and rows, and what it reads the sites operand, matrix and points.
/// Making it gives the process its fault.
device::DeviceKind faulty(const device::DeviceKind& sound);

/// Borrows the sound one: of that device.
std::unique_ptr<device::FftFactory> make_faulty_ffts(device::FftFactory& sound);

}  // namespace quartet::faults
