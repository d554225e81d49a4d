#pragma once

#include <memory>

#include "bench/session/session.hpp"
#include "fft/native/native_plan.hpp"
#include "fft/problem/files.hpp"

namespace quartet::fft {

/// Brings this rank's tiles to the memory where they are transformed.
class InputTiles {
  public:
    virtual ~InputTiles() = default;
    /// Before each run, outside of the time.
    virtual void prepare() = 0;
    /// At the beginning of each run: enqueues on the session's stream what counts as input.
    /// Allocates nothing. Throws Failure, or has the stream throw it, if a file cannot be read.
    virtual void load() = 0;
};

/// Whether runs leave the input as it is.
enum class InputUse { kept, overwritten };

/// Tiles from the seed or from files, as the plan says; when this returns, they are in place on the
/// session's stream. Makes and checks files. Collective. Throws Failure.
std::unique_ptr<InputTiles> make_input_tiles(bench::Session& session, const NativePlan& plan,
                                             device::View<Point> input, InputUse use);

}  // namespace quartet::fft
