#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quartet::faults {

/// A matrix in memory, by its steps from row to row and from column to column.
template <typename T>
struct Array {
    T* first;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t row_step;
    std::int64_t column_step;

    [[nodiscard]] T& at(std::int64_t row, std::int64_t column) const {
        return first[row * row_step + column * column_step];
    }
};

/// What the libraries that lie do wrong. The environment variable QUARTET_LIE says it, as
/// SITE:RANK:CALL:TYPE:CHANGE:NUMBER, "sgemm:1:3+:float:row:1e-4". A site is
///
///     sgemm dgemv    C, or y, as a BLAS leaves it
///     fft            the bins that a plan of FFTW leaves, a row each
///     fftmpi         those of a plan of FFTW-MPI
///     message        what a rank sends by MPI or adds elsewhere; for collective operations what it
///                    has received
///
/// "message@4096" are those of 4096 bytes or more. RANK may be "all". CALL counts, from 1, what
/// passes the site on a rank; "3+" is the third and all that follow. TYPE, float or double, is that
/// of a message's elements. A CHANGE is
///
///     one row column all              the element, row or column in the middle, or all of it,
///                                     times 1 + NUMBER
///     bit                             bit NUMBER of the element in the middle
///     noise                           each times 1 + NUMBER u, u at random from -1 to 1
///     keep                            all rounded to NUMBER bits
///     swap                            the first and the last row change places
///     lost twice                      the second half becomes zeros, or the first half again
///     inputs                          a BLAS rounds the numbers that it multiplies to NUMBER bits
///     lastrow lastcolumn lastinner    a BLAS leaves these out
///
/// The first time that it lies, a rank says so on standard error.
class Lie {
  public:
    /// The one of this process. Throws std::logic_error if QUARTET_LIE cannot be read.
    static Lie& of_process();

    /// Whether this call of a site is to lie, which it counts; `bytes` are a message's.
    [[nodiscard]] bool is_told(std::string_view site, std::int64_t bytes = 0);

    [[nodiscard]] bool changes(std::string_view change) const { return change_ == change; }
    [[nodiscard]] int bits() const { return static_cast<int>(number_); }
    [[nodiscard]] bool is_of_floats() const { return type_ == "float"; }

    /// Changes an array of float or double, unless the change is of what a BLAS reads.
    template <typename T>
    void tell(const Array<T>& array) const;
    /// A message. Bytes that are no whole element stay.
    void tell(std::span<std::byte> message) const;

  private:
    explicit Lie(const std::string& specification);

    std::string site_;
    std::int64_t least_bytes_ = 0;  ///< of a message that counts
    std::optional<int> rank_;       ///< nothing: all
    int call_ = 0;
    bool and_later_ = false;
    std::string type_;
    std::string change_;
    double number_ = 0;
    std::atomic<int> calls_ = 0;
    std::atomic<bool> said_ = false;
};

/// A number rounded to that many bits, the first one included.
template <typename T>
T rounded(T value, int bits);

/// The library's function of that name. Ends the job if no library has it.
void* sound_function(const char* name);
template <typename Function>
Function* sound(const char* name) {
    return reinterpret_cast<Function*>(sound_function(name));
}

}  // namespace quartet::faults
