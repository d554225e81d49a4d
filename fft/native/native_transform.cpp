#include "fft/native/native_transform.hpp"

#include "fft/native/four_step_transform.hpp"
#include "fft/native/single_rank_transform.hpp"

namespace quartet::fft {

std::unique_ptr<NativeTransform> make_native_transform(const NativePlan& plan,
                                                       device::Device& device,
                                                       comm::Transport& transport,
                                                       device::View<Point> input,
                                                       NativeBuffers& buffers) {
    switch (plan.algorithm) {
        case Algorithm::single_rank:
            return std::make_unique<SingleRankTransform>(plan, device, input,
                                                         buffers.result.view());
        case Algorithm::single_rank_in_place:
            return std::make_unique<InPlaceTransform>(plan, device, input);
        case Algorithm::transposed:
            return std::make_unique<TransposedTransform>(
                plan, device, transport, input, buffers.parts.view(), buffers.result.view());
        case Algorithm::natural:
            return std::make_unique<NaturalTransform>(plan, device, transport, input, buffers);
        case Algorithm::library:
            return std::make_unique<LibraryTransform>(plan, device, input, buffers.result.view());
    }
    fail("no such algorithm");
}

}  // namespace quartet::fft
