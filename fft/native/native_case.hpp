#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/data/input_guard.hpp"
#include "bench/session/session.hpp"
#include "comm/transport/transport.hpp"
#include "fft/native/input_tiles.hpp"
#include "fft/native/native_plan.hpp"
#include "fft/native/native_transform.hpp"
#include "fft/problem/transform_case.hpp"
#include "fft/problem/transform_limit.hpp"
#include "fft/problem/verify.hpp"

namespace quartet::fft {

/// The native formulation: input, one of the native transforms, check and limit.
class NativeCase final : public TransformCase {
  public:
    /// Collective. Throws Unavailable; Failure where files are not what the manifest says.
    NativeCase(bench::Session& session, const NativePlan& plan);

    void prepare() override { tiles_->prepare(); }
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override {
        return guard_.judge(check_.verify(pieces_of(result())), session_.world());
    }
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override;
    void finish() override;

    [[nodiscard]] device::View<Point> result() override { return transform_->result(); }

  private:
    /// How the CPU sees an array that may be a GPU's.
    [[nodiscard]] ReadPieces pieces_of(device::View<const Point> array);

    bench::Session& session_;
    NativePlan plan_;
    comm::Transport& transport_;
    bench::Arena arena_;
    device::Buffer<Point> input_;
    std::unique_ptr<InputTiles> tiles_;
    bench::InputGuard guard_;  ///< of tiles that are made once
    TransformCheck check_;
    std::optional<NativeBuffers> buffers_;  ///< made after all that may fail on one rank
    std::unique_ptr<NativeTransform> transform_;
    std::optional<TransformLimit> limit_;
};

}  // namespace quartet::fft
