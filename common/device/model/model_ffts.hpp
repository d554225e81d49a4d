#pragma once

#include <memory>

#include "device/fft_factory.hpp"
#include "device/model/model_work.hpp"

namespace quartet::device {

/// Plans whose steps take the time of their operations, or of their traffic if they only move
/// points, and leave their targets as they are. `work` outlives them.
std::unique_ptr<FftFactory> make_model_fft_factory(const ModelWork& work);

}  // namespace quartet::device
