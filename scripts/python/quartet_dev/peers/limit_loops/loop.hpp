#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

inline constexpr int unavailable = 77;  // the exit code

using Floats = float __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));

/// Zeros would draw less power than other numbers.
template <typename Number>
class Array {
  public:
    explicit Array(std::size_t bytes) : size_(bytes / sizeof(Number)) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t whole = (bytes / page + 1) * page;
        data_.reset(static_cast<Number*>(std::aligned_alloc(page, whole)));
        if (!data_) {
            std::fputs("limit_loops: not available: not enough memory\n", stderr);
            std::exit(unavailable);
        }
        madvise(data_.get(), whole, MADV_HUGEPAGE);
        for (std::size_t i = 0; i < size_; ++i) {
            data_.get()[i] = Number{} + static_cast<float>(i % 7) * 0.25F;
        }
    }
    Number& operator[](std::size_t index) { return data_.get()[index]; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    std::size_t size_;
    std::unique_ptr<Number, decltype(&std::free)> data_{nullptr, &std::free};
};

/// What one thread repeats, and what it counts each time, in bytes or operations.
struct Loop {
    std::function<void()> run;
    double counted = 0;
};

/// Allocates the arrays of the thread that calls it.
using Way = std::function<Loop()>;

/// The ways to do what `name` says with arrays of `size` bytes; none if it is not known here.
std::vector<Way> ways_to(std::string_view name, std::size_t size);

/// A product of square matrices by BLIS on one thread. Where it does not know the processor it gets
/// the nearest kernels that it has; it chooses once a process, so that this one begins again, with
/// `arguments`. Exits with `unavailable` if there is no BLIS.
Way product_by_blis(std::size_t edge, char** arguments);
