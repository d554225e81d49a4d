#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "device/blas.hpp"
#include "device/device.hpp"

namespace quartet::matmul {

/// C = A B for square matrices of this edge, row-major, in memory that the CPU reads. Returns when
/// C is complete. Local.
using Multiply = std::function<void(std::int64_t edge, device::View<const float> a,
                                    device::View<const float> b, device::View<float> c)>;

/// Multiplies by the device's BLAS, as the products of tiles do. Borrows both arguments.
Multiply multiply_on(device::Device& device, device::Stream& stream);

/// The arithmetic that `multiply` computes in: "fp32", "tf32", "bf16" or "other", with
/// " with narrow sums" if sums keep fewer bits than float32's. Freivalds' bound grows with N and so
/// hides rounded inputs; this product is small at any N, and exact in float32:
///
///     A = (F, S, G), its rows;  B = (S', F', G'), its columns;  A B is compared where both match
///
/// - F has odd numbers of 24 bits and S picks one of them for each element of C, so F S' and S F'
///   show what became of the inputs. Half of them are below 2^-20, where fp16 has fewer bits than
///   tf32.
/// - G has whole numbers from 1 to 255, exact in each of these formats. Any sum of 256 products is
///   below 256 x 255^2 < 2^24, so it is exact in float32 in any order, fused or not.
///
/// Emulation by nine products of bfloat16 (bf16x9) is exact, too: "fp32". The matrices have the
/// edge of a tile, but at least 64 and at most 256: this takes a few milliseconds. Local.
std::string arithmetic_of(device::Device& device, std::int64_t tile, const Multiply& multiply);

/// What arithmetic_of() returns if a library computes in the requested arithmetic.
constexpr std::string_view arithmetic_wanted(device::Math math) {
    return device::name(math == device::Math::tf32 ? math : device::Math::fp32);
}

}  // namespace quartet::matmul
