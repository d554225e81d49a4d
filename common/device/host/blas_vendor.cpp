#include "device/host/blas_vendor.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>

namespace quartet::device {

namespace {

/// The function `name` of any library of this process, or null.
template <typename Function>
Function* find(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void set_blas_threads(int threads) {
    if (auto* openblas = find<void(int)>("openblas_set_num_threads"))
        openblas(threads);
    if (auto* blis = find<void(std::int64_t)>("bli_thread_set_num_threads"))
        blis(threads);
    // MKL's lower-case name is the Fortran function, which takes a pointer.
    if (auto* mkl = find<void(int)>("MKL_Set_Num_Threads"))
        mkl(threads);
}

std::string blas_description() {
    if (auto* openblas = find<char*()>("openblas_get_config"))
        return openblas();
    if (auto* blis = find<const char*()>("bli_info_get_version_str"))
        return std::string("BLIS ") + blis();
    if (auto* mkl = find<void(char*, int)>("MKL_Get_Version_String")) {
        std::array<char, 256> text{};
        mkl(text.data(), static_cast<int>(text.size()) - 1);
        const std::string padded(text.data());
        return padded.substr(0, padded.find_last_not_of(' ') + 1);
    }
    return "CBLAS of unknown make";
}

}  // namespace quartet::device
