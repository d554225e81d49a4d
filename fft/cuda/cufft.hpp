#pragma once

#include <cufft.h>

#include <memory>

namespace quartet::fft {

/// The functions of cuFFT that are used, loaded as those of cuBLAS are.
struct CufftLibrary {
    decltype(&cufftCreate) create = nullptr;
    decltype(&cufftDestroy) destroy = nullptr;
    decltype(&cufftGetVersion) get_version = nullptr;
    decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
    decltype(&cufftMakePlanMany64) make_plan_many = nullptr;
    decltype(&cufftSetWorkArea) set_work_area = nullptr;
    decltype(&cufftSetStream) set_stream = nullptr;
    decltype(&cufftExecZ2Z) execute = nullptr;
};

/// Loads the library. Throws Unavailable if it cannot be had.
std::shared_ptr<const CufftLibrary> load_cufft();

}  // namespace quartet::fft
