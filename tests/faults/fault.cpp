#include "tests/faults/fault.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include "core/check.hpp"
#include "core/environment.hpp"

namespace quartet::faults {

namespace {

// What stands in for functions of libraries has no other place for it.
std::unique_ptr<Fault>& fault_of_process() {
    static std::unique_ptr<Fault> fault;
    return fault;
}

// The bit of one element, and what the element was and is.
template <typename T, typename Bits>
std::string flip(std::span<std::byte> element, int bit) {
    T before;
    std::memcpy(&before, element.data(), sizeof before);
    const T after = std::bit_cast<T>(std::bit_cast<Bits>(before) ^ (Bits{1} << bit));
    std::memcpy(element.data(), &after, sizeof after);
    return fmt::format("{} -> {}", before, after);
}

}  // namespace

Fault::Fault(const std::string& specification, int rank) {
    std::istringstream text(specification);
    std::array<std::string, 6> words;
    for (std::string& word : words) {
        std::getline(text, word, ':');
    }
    const auto& [site, of_rank, call, type, element, bit] = words;
    try {
        site_ = site;
        here_ = std::stoi(of_rank) == rank;
        call_ = std::stoi(call);
        and_later_ = call.ends_with('+');
        width_ = type == "float" ? sizeof(float) : type == "double" ? sizeof(double) : 0;
        element_ = std::stoul(element);
        bit_ = std::stoi(bit);
    } catch (const std::logic_error&) {
        width_ = 0;
    }
    if (width_ == 0 || bit_ < 0 || bit_ >= static_cast<int>(8 * width_)) {
        throw UsageError(fmt::format("QUARTET_FAULT: '{}' is not SITE:RANK:CALL:TYPE:ELEMENT:BIT",
                                     specification));
    }
}

void Fault::pass(std::string_view site, std::span<std::byte> data) {
    if (!here_ || site != site_ || data.size() < (element_ + 1) * width_) {
        return;
    }
    const int call = ++calls_;
    if (call < call_ || (call > call_ && !and_later_)) {
        return;
    }
    const auto element = data.subspan(element_ * width_, width_);
    const std::string change = width_ == sizeof(float) ? flip<float, std::uint32_t>(element, bit_)
                                                       : flip<double, std::uint64_t>(element, bit_);
    fmt::print(stderr, "fault: {}, call {}, element {} of {}, bit {}: {}\n", site_, call, element_,
               data.size() / width_, bit_, change);
}

void prepare_fault() {
    if (const auto specification = Environment().get("QUARTET_FAULT")) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fault_of_process() = std::make_unique<Fault>(*specification, rank);
    }
}

void pass(std::string_view site, std::span<std::byte> data) {
    if (fault_of_process()) {
        fault_of_process()->pass(site, data);
    }
}

void pass_later(const char* site, device::View<const std::byte> data, device::Stream& stream) {
    if (!fault_of_process() || data.kind() == device::MemoryKind::device) {
        return;
    }
    // What is received is shown as constant: damage on its way does not ask.
    auto* const bytes = const_cast<std::byte*>(data.data());
    stream.enqueue(Phase::wait, "fault", [site, bytes, size = data.size()] {
        pass(site, {bytes, static_cast<std::size_t>(size)});
    });
}

}  // namespace quartet::faults
