#include "device/host/blas/blas_vendor.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "core/environment.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::device {

namespace {

/// The function `name` of `library` and the libraries that it needs, by default of any library in
/// this process; null if there is none.
template <typename Function>
Function* find(const char* name, void* library = RTLD_DEFAULT) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// The library that has cblas_sgemm, since ScaLAPACK may bring another BLAS into the process. Null,
/// which stands for all libraries, if the program itself has cblas_sgemm.
void* cblas_library() {
    Dl_info found{};
    const bool known = ::dladdr(::dlsym(RTLD_DEFAULT, "cblas_sgemm"), &found) != 0;
    return known ? ::dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
}

}  // namespace

std::string_view better_blas_kernels(std::string_view current, std::string_view isa) {
    const std::array<std::string_view, 7> old{"Prescott", "Core2",  "Penryn",    "Dunnington",
                                              "Nehalem",  "Katmai", "Coppermine"};
    if (std::ranges::find(old, current) == old.end()) {
        return {};
    }
    return isa == "avx512" ? "SkylakeX" : isa == "avx2" ? "Haswell" : "";
}

void use_best_blas_kernels() {
    constexpr const char* choice = "OPENBLAS_CORETYPE";
    auto* current = find<char*()>("openblas_get_corename");
    auto* quit = find<void()>("gotoblas_dynamic_quit");
    auto* begin = find<void()>("gotoblas_dynamic_init");
    if (current == nullptr || quit == nullptr || begin == nullptr || Environment().get(choice)) {
        return;
    }
    const std::string better(better_blas_kernels(current(), best_loops().isa));
    if (better.empty()) {
        return;
    }
    ::setenv(choice, better.c_str(), 1);
    quit();
    begin();
}

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
    void* const library = cblas_library();
    if (auto* openblas = find<char*()>("openblas_get_config", library))
        return openblas();
    if (auto* blis = find<const char*()>("bli_info_get_version_str", library))
        return std::string("BLIS ") + blis();
    if (auto* mkl = find<void(char*, int)>("MKL_Get_Version_String", library)) {
        std::array<char, 256> text{};
        mkl(text.data(), static_cast<int>(text.size()) - 1);
        const std::string padded(text.data());
        return padded.substr(0, padded.find_last_not_of(' ') + 1);
    }
    return "CBLAS of unknown make";
}

}  // namespace quartet::device
