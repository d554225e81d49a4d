#include "device/host/host_device.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "device/blas.hpp"
#include "device/host/blas/host_blas.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {
namespace {

using ::testing::HasSubstr;

/// The flags that the kernel keeps for the mapping around `address`; empty if it tells none.
std::string mapping_flags(const void* address) {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    std::ifstream mappings("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(mappings, line);) {
        std::istringstream words(line);
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        if (words >> std::hex >> begin >> dash >> end && dash == '-')
            inside = begin <= wanted && wanted < end;
        else if (inside && line.starts_with("VmFlags:"))
            return line;
    }
    return {};
}

TEST(BlasVendorTest, KernelsOfOldProcessorsGiveWayToWhatThisOneCanRun) {
    EXPECT_EQ(better_blas_kernels("Prescott", "avx512"), "SkylakeX");
    EXPECT_EQ(better_blas_kernels("Nehalem", "avx2"), "Haswell");
    EXPECT_EQ(better_blas_kernels("Prescott", "baseline"), "");
    EXPECT_EQ(better_blas_kernels("Zen", "avx512"), "") << "OpenBLAS knows better";
}

TEST(HostDeviceTest, RefusesViewsOfDeviceMemory) {
    Trace trace;
    const auto device = make_host_device({}, trace);
    const auto stream = device->make_stream("stream");
    std::array<float, 4> floats{};
    std::array<double, 4> doubles{};
    const View<float> single(floats.data(), 4, MemoryKind::device);
    const View<double> wide(doubles.data(), 4, MemoryKind::device);
    VectorOperations& vectors = device->vectors();

    EXPECT_THROW(vectors.add(single, single, *stream), Failure);
    EXPECT_THROW(vectors.fill(1.0, wide, *stream), Failure);
    EXPECT_THROW(vectors.dot(wide, wide, wide.part(0, 1), *stream), Failure);
    EXPECT_THROW(device->copy(as_bytes(wide), as_bytes(wide), *stream), Failure);
    EXPECT_THROW(device->blas().gemv(1, 4, wide, wide, wide.part(0, 1), *stream), Failure);
}

TEST(HostDeviceTest, AsksForHugePagesForLargeMemory) {
    Trace trace;
    const auto device = make_host_device({}, trace);
    const Allocation memory = device->allocate(mebibytes(8), MemoryKind::host);
    const std::byte* data = memory.data.get();
    const std::string flags = mapping_flags(data);
    if (flags.empty())
        GTEST_SKIP() << "the kernel does not tell the flags of mappings";

    EXPECT_THAT(flags + ' ', HasSubstr(" hg "));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % (2U << 20), 0U);
    EXPECT_EQ(mapping_flags(data + memory.size.value - 1), flags);
}

TEST(HostDeviceTest, GivesBlasItsThreads) {
    Trace trace;
    auto* threads = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    if (threads == nullptr)
        GTEST_SKIP() << "only OpenBLAS tells by a function that is looked up easily";

    const auto two = make_host_device({.threads = 2}, trace);
    EXPECT_EQ(threads(), 2);
    const auto one = make_host_device({.threads = 1}, trace);
    EXPECT_EQ(threads(), 1);
}

}  // namespace
}  // namespace quartet::device
