#include "device/host/blas/host_blas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "cblas.hpp"
#include "core/environment.hpp"
#include "device/host/loops/loops.hpp"
#include "device/require_views.hpp"

namespace quartet::device {

std::string_view better_blas_kernels(std::string_view current, std::string_view isa) {
    const std::array<std::string_view, 7> old{"Prescott", "Core2",  "Penryn",    "Dunnington",
                                              "Nehalem",  "Katmai", "Coppermine"};
    if (std::ranges::find(old, current) == old.end()) {
        return {};
    }
    return isa == "avx512" ? "SkylakeX" : isa == "avx2" ? "Haswell" : "";
}

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

/// If OpenBLAS does not know this processor and has fallen back to kernels for processors of twenty
/// years ago, makes it take the best kernels that the processor can run: measured five times as
/// fast (OpenBLAS 0.3.21, which takes an Emerald Rapids for a Prescott). If OPENBLAS_CORETYPE is
/// set in the environment, it decides instead. Call this before any other use of the library, and
/// before there are threads.
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

/// Asks the BLAS libraries in this process for `threads` threads. Their own functions are looked up
/// by name at run time: no vendor's header is needed, and a library that is exchanged for another
/// behind the same interface is still recognised. Does nothing if none is found.
void set_blas_threads(int threads) {
    if (auto* openblas = find<void(int)>("openblas_set_num_threads"))
        openblas(threads);
    if (auto* blis = find<void(std::int64_t)>("bli_thread_set_num_threads"))
        blis(threads);
    // MKL's lower-case name is the Fortran function, which takes a pointer.
    if (auto* mkl = find<void(int)>("MKL_Set_Num_Threads"))
        mkl(threads);
}

/// The name and the version of the library with cblas_sgemm, as the library tells them, or "CBLAS
/// of unknown make".
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

/// The library's integer: 32 or 64 bits, as its header declares the number of rows.
template <typename Order, typename Transpose, typename Integer, typename... Rest>
Integer integer_of(void (*)(Order, Transpose, Integer, Rest...));
using BlasInteger = decltype(integer_of(&cblas_dgemv));

void require_blas_size(std::int64_t size) {
    check(size >= 0, "a matrix of a negative size");
    if (size > std::numeric_limits<BlasInteger>::max())
        throw Failure("a matrix edge of " + std::to_string(size) +
                      " (this BLAS counts in 32 bits): use smaller blocks or a 64-bit BLAS");
}

BlasInteger to_blas(std::int64_t size) {
    return static_cast<BlasInteger>(size);
}

// BLAS refuses a leading dimension of 0, even of an empty matrix.
BlasInteger leading(std::int64_t columns) {
    return to_blas(std::max<std::int64_t>(columns, 1));
}

/// The elements of a matrix. Throws Failure if its edges or their product are out of range.
std::int64_t matrix_size(std::int64_t rows, std::int64_t columns) {
    require_blas_size(rows);
    require_blas_size(columns);
    return matrix_elements(rows, columns);
}

class HostBlas final : public Blas {
  public:
    explicit HostBlas(int threads) {
        use_best_blas_kernels();
        set_blas_threads(threads);
    }

    void gemm(const GemmShape& shape, View<const float> a, View<const float> b, View<float> c,
              Update update, Stream& stream) override {
        require_host(a, matrix_size(shape.rows, shape.inner), "gemm: A is not rows x inner");
        require_host(b, matrix_size(shape.inner, shape.columns), "gemm: B is not inner x columns");
        require_host(c, matrix_size(shape.rows, shape.columns), "gemm: C is not rows x columns");
        require_apart(a, c);
        require_apart(b, c);
        const auto work = [shape, update, left = a.data(), right = b.data(), out = c.data()] {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, to_blas(shape.rows),
                        to_blas(shape.columns), to_blas(shape.inner), 1.0F, left,
                        leading(shape.inner), right, leading(shape.columns),
                        update == Update::accumulate ? 1.0F : 0.0F, out, leading(shape.columns));
        };
        stream.enqueue(Phase::compute, "gemm", work);
    }

    void gemv(std::int64_t rows, std::int64_t columns, View<const double> a, View<const double> x,
              View<double> y, Stream& stream) override {
        require_host(a, matrix_size(rows, columns), "gemv: A is not rows x columns");
        require_host(x, columns, "gemv: x does not have as many elements as A columns");
        require_host(y, rows, "gemv: y does not have as many elements as A rows");
        require_apart(a, y);
        require_apart(x, y);
        const auto work = [rows, columns, matrix = a.data(), in = x.data(), out = y.data()] {
            // Reference BLAS returns at once for no columns and leaves y as it is.
            if (columns == 0)
                std::fill_n(out, rows, 0.0);
            else
                cblas_dgemv(CblasRowMajor, CblasNoTrans, to_blas(rows), to_blas(columns), 1.0,
                            matrix, leading(columns), in, 1, 0.0, out, 1);
        };
        stream.enqueue(Phase::compute, "gemv", work);
    }

    [[nodiscard]] Bytes workspace() const override { return {}; }
    [[nodiscard]] std::string description() const override { return blas_description(); }
};

}  // namespace

std::unique_ptr<Blas> make_host_blas(int threads) {
    return std::make_unique<HostBlas>(threads);
}

}  // namespace quartet::device
