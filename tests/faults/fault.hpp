#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::faults {

/// One bit that is flipped in what passes one site on one rank. The environment variable
/// QUARTET_FAULT says which, as SITE:RANK:CALL:TYPE:ELEMENT:BIT, "gemm:1:3:float:17:30". A site is
/// an operation or a message:
///
///     gemm gemv add axpy xpay dot update product columns rows  results of the device's operations
///     operand matrix points                                    what gemm (A), a matrix's product
///     and
///                                                              column FFTs are about to read
///     push gather reduce exchange payload receive              what a transport has brought
///     psgemm fftw                                              results of libraries
///     read                                                     what was read from an .npy file
///
/// CALL counts, from 1, what passes the site on that rank and is long enough, set-up included;
/// "3+" is the third and all that follow, where set-up makes more calls at some times than at
/// others. ELEMENT is a float or double of it, from 0; BIT is 0 for the lowest one of the mantissa.
/// When the bit is flipped a line on standard error says so, with both values.
class Fault {
  public:
    /// Of `rank`. Throws UsageError for a specification that it cannot read. Local.
    Fault(const std::string& specification, int rank);

    /// Flips the bit where the site, rank and call are right. May be called by any thread.
    void pass(std::string_view site, std::span<std::byte> data);

  private:
    std::string site_;
    bool here_ = false;  ///< on this rank
    int call_ = 0;
    bool and_later_ = false;  ///< all calls from that one on
    std::size_t width_ = 0;   ///< bytes of an element
    std::size_t element_ = 0;
    int bit_ = 0;
    std::atomic<int> calls_ = 0;
};

/// Gives this process its fault, if QUARTET_FAULT names one. Once MPI is there, by the main thread,
/// before anything passes. Local.
void prepare_fault();

/// The data passes the site now. Local.
void pass(std::string_view site, std::span<std::byte> data);

/// The data passes the site once the stream's work so far is done. `site` is a literal. Nothing is
/// done to a GPU's memory. Local.
void pass_later(const char* site, device::View<const std::byte> data, device::Stream& stream);
template <typename T>
void pass_later(const char* site, device::View<T> data, device::Stream& stream) {
    pass_later(site, device::View<const std::byte>(device::as_bytes(data)), stream);
}

}  // namespace quartet::faults
