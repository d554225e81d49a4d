#include "device/cuda/fft/cufft_library.hpp"

#include "device/cuda/runtime/toolkit_library.hpp"

namespace quartet::device {

namespace {

struct Loaded {
    SharedLibrary library = load_toolkit_library("cufft", CUFFT_VER_MAJOR);
    CufftLibrary functions{
        .create = library.function<decltype(cufftCreate)>("cufftCreate"),
        .destroy = library.function<decltype(cufftDestroy)>("cufftDestroy"),
        .get_version = library.function<decltype(cufftGetVersion)>("cufftGetVersion"),
        .set_auto_allocation =
            library.function<decltype(cufftSetAutoAllocation)>("cufftSetAutoAllocation"),
        .make_plan_many = library.function<decltype(cufftMakePlanMany64)>("cufftMakePlanMany64"),
        .set_work_area = library.function<decltype(cufftSetWorkArea)>("cufftSetWorkArea"),
        .set_stream = library.function<decltype(cufftSetStream)>("cufftSetStream"),
        .execute = library.function<decltype(cufftExecZ2Z)>("cufftExecZ2Z"),
    };
};

}  // namespace

std::shared_ptr<const CufftLibrary> load_cufft() {
    const auto loaded = std::make_shared<const Loaded>();
    return {loaded, &loaded->functions};
}

}  // namespace quartet::device
