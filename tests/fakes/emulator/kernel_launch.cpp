#include "fakes/emulator/kernel_launch.hpp"

#include <iostream>
#include <stdexcept>

#include "core/environment.hpp"
#include "fakes/emulator/refuse.hpp"
#include "fakes/fake_cuda_runtime.hpp"

namespace quartet::emulator {

namespace {

Order order_wanted() {
    static const Order order =
        order_of_name(Environment().get("QUARTET_EMULATED_ORDER").value_or("ascending"));
    return order;
}

void run(const Grid& grid) {
    try {
        run_grid(grid.shape, order_wanted(), grid.thread);
        if (const auto damage = device::FakeGpuMemory::of_process().damage())
            refuse(*damage);
    } catch (const std::logic_error& error) {
        std::cerr << error.what() << '\n';
        device::break_gpu(cudaErrorLaunchFailure);
    }
}

}  // namespace

void launch(cudaStream_t stream, std::shared_ptr<const Grid> grid) {
    if (const auto reason = why_no_launch(grid->shape)) {
        std::cerr << "emulated GPU: it cannot run " << *reason << '\n';
        device::set_last_error(cudaErrorInvalidConfiguration);
        return;
    }
    device::enqueue_kernel(stream, std::make_shared<const std::function<void()>>(
                                       [grid = std::move(grid)] { run(*grid); }));
}

}  // namespace quartet::emulator
