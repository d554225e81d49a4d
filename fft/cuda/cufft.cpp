#include "fft/cuda/cufft.hpp"

#include "device/cuda/runtime/toolkit_library.hpp"

namespace quartet::fft {

std::shared_ptr<const CufftLibrary> load_cufft() {
    using Cufft = CufftLibrary;
    return load_library(device::toolkit_library("cufft", CUFFT_VER_MAJOR),
                        LibraryFunction{&Cufft::create, "cufftCreate"},
                        LibraryFunction{&Cufft::destroy, "cufftDestroy"},
                        LibraryFunction{&Cufft::get_version, "cufftGetVersion"},
                        LibraryFunction{&Cufft::set_auto_allocation, "cufftSetAutoAllocation"},
                        LibraryFunction{&Cufft::make_plan_many, "cufftMakePlanMany64"},
                        LibraryFunction{&Cufft::set_work_area, "cufftSetWorkArea"},
                        LibraryFunction{&Cufft::set_stream, "cufftSetStream"},
                        LibraryFunction{&Cufft::execute, "cufftExecZ2Z"});
}

}  // namespace quartet::fft
