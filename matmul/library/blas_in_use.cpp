#include "matmul/library/blas_in_use.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace quartet::matmul {

namespace {

// The file of the library that a function is called in.
std::string library_of(const char* function) {
    Dl_info info{};
    void* const address = ::dlsym(RTLD_DEFAULT, function);
    const bool found = address != nullptr && ::dladdr(address, &info) != 0;
    return found ? std::filesystem::path(info.dli_fname).filename().string() : "a static library";
}

}  // namespace

std::string describe_blas_in_use() {
    const std::string theirs = library_of("sgemm_");
    const std::string ours = library_of("cblas_sgemm");
    return theirs == ours ? fmt::format("the same BLAS as native ({})", ours)
                          : fmt::format("its BLAS is {}, native's is {}", theirs, ours);
}

std::string scalapack_in_use() {
    return library_of("psgemm_");
}

}  // namespace quartet::matmul
