#include <dlfcn.h>
#include <unistd.h>

#include "loop.hpp"

namespace {

/// A function of the library by its name; null if it has none.
template <typename Function>
Function* function_of(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
}

/// What BLIS chooses instead of kernels for a processor that it does not know.
constexpr std::string_view any_processor = "generic";
#if defined(__AVX512F__)
constexpr const char* nearest = "skx";
#elif defined(__AVX2__)
constexpr const char* nearest = "haswell";
#else
constexpr const char* nearest = "";  // none
#endif

void take_nearest_kernels(void* library, char** arguments) {
    constexpr const char* choice = "BLIS_ARCH_TYPE";
    auto* begin = function_of<void()>(library, "bli_init");
    auto* query = function_of<int()>(library, "bli_arch_query_id");
    auto* name = function_of<const char*(int)>(library, "bli_arch_string");
    if (begin == nullptr || query == nullptr || name == nullptr || *nearest == '\0' ||
        std::getenv(choice) != nullptr) {
        return;
    }
    begin();
    if (name(query()) == any_processor) {
        setenv(choice, nearest, 1);
        execv("/proc/self/exe", arguments);
    }
}

}  // namespace

Way product_by_blis(std::size_t edge, char** arguments) {
    // As every BLAS has it.
    using Sgemm =
        void(const char*, const char*, const int*, const int*, const int*, const float*,
             const float*, const int*, const float*, const int*, const float*, float*, const int*);
    setenv("BLIS_NUM_THREADS", "1", 1);
    void* library = nullptr;
    for (const char* name : {"libblis.so.4", "libblis.so"}) {
        library = library != nullptr ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    auto* multiply = library != nullptr ? function_of<Sgemm>(library, "sgemm_") : nullptr;
    if (multiply == nullptr) {
        std::fputs("limit_loops: not available: no BLIS (scripts/setup.sh blis)\n", stderr);
        std::exit(unavailable);
    }
    take_nearest_kernels(library, arguments);
    return [=]() -> Loop {
        const std::size_t bytes = edge * edge * sizeof(float);
        auto a = std::make_shared<Array<float>>(bytes);
        auto b = std::make_shared<Array<float>>(bytes);
        auto c = std::make_shared<Array<float>>(bytes);
        const auto n = static_cast<double>(edge);
        return {[=] {
                    const int size = static_cast<int>(edge);
                    const float one = 1;
                    const float zero = 0;
                    multiply("N", "N", &size, &size, &size, &one, &(*a)[0], &size, &(*b)[0], &size,
                             &zero, &(*c)[0], &size);
                },
                2.0 * n * n * n};
    };
}
