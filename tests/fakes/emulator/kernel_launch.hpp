#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>

#include "fakes/emulator/kernel_arguments.hpp"
#include "fakes/emulator/launch.hpp"

namespace quartet::emulator {

/// A grid that waits in a stream: what each of its threads does.
struct Grid {
    LaunchShape shape;
    std::function<void()> thread;
};

/// Enqueues the grid on the stream of the fake runtime. What a GPU refuses becomes the runtime's
/// last error; where a thread does what it may not, the GPU is lost, and stderr says why.
void launch(cudaStream_t stream, std::shared_ptr<const Grid> grid);

/// What kernel<<<grid, block, shared_bytes, stream>>>(arguments) becomes.
struct KernelLaunch {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;

    // Each thread has its own copy of the arguments, as parameters of a kernel are.
    template <typename Kernel, typename... Arguments>
    void operator()(Kernel kernel, const Arguments&... arguments) const {
        auto thread = [kernel, ... own = reachable(arguments)] { kernel(own...); };
        launch(stream,
               std::make_shared<Grid>(Grid{{grid, block, shared_bytes}, std::move(thread)}));
    }
};

/// What cudaLaunchKernelEx() becomes. Grids follow one another: that one may begin earlier shows
/// nothing here.
template <typename... Parameters, typename... Arguments>
void launch_with(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                 const Arguments&... arguments) {
    KernelLaunch{config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream}(
        kernel, Parameters(arguments)...);
}

}  // namespace quartet::emulator
