#include <mpi.h>
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tests/faults/fault.hpp"
#include "tests/faults/faulty_device.hpp"
#include "tests/faults/faulty_transport.hpp"

// What the linker puts in the place of functions (--wrap, CMakeLists.txt): a call of f becomes one
// of __wrap_f, and __real_f is the sound one. A program lacks those of libraries that it does not
// link.

using namespace quartet;

namespace {

template <typename T>
std::span<std::byte> bytes_of(T* first, std::size_t bytes) {
    return {reinterpret_cast<std::byte*>(first), bytes};
}

// FFTW tells where a plan leaves its result only while the plan is made. The last plan counts.
std::span<std::byte>& result_of_plan() {
    static std::span<std::byte> result;
    return result;
}

}  // namespace

// The registries that programs use.
device::DeviceRegistry sound_devices() asm("__real__ZN7quartet6device14DeviceRegistry8standardEv");
device::DeviceRegistry faulty_devices() asm("__wrap__ZN7quartet6device14DeviceRegistry8standardEv");
device::DeviceRegistry faulty_devices() {
    device::DeviceRegistry registry = sound_devices();
    registry.add(faults::faulty(registry.host()));
    return registry;
}

comm::TransportRegistry sound_transports() asm(
    "__real__ZN7quartet4comm17TransportRegistry8standardEv");
comm::TransportRegistry faulty_transports() asm(
    "__wrap__ZN7quartet4comm17TransportRegistry8standardEv");
comm::TransportRegistry faulty_transports() {
    comm::TransportRegistry registry = sound_transports();
    for (const std::string& name : registry.names()) {
        registry.add(faults::faulty(registry.kind(name)));
    }
    return registry;
}

extern "C" {

// Arrays in files. The descriptor's link names the file.
ssize_t sound_pread(int file, void* data, std::size_t size, off_t offset) asm("__real_pread");
ssize_t faulty_pread(int file, void* data, std::size_t size, off_t offset) asm("__wrap_pread");
ssize_t faulty_pread(int file, void* data, std::size_t size, off_t offset) {
    const ssize_t read = sound_pread(file, data, size, offset);
    const auto link = std::filesystem::path("/proc/self/fd") / std::to_string(file);
    if (read > 0 && std::filesystem::read_symlink(link).extension() == ".npy") {
        faults::pass("read", bytes_of(static_cast<char*>(data), static_cast<std::size_t>(read)));
    }
    return read;
}

// ScaLAPACK: what passes is the first column that this rank has of its C.
using Psgemm = void(const char*, const char*, const int* rows, const int* columns, const int* inner,
                    const float* alpha, const float* a, const int*, const int*, const int*,
                    const float* b, const int*, const int*, const int*, const float* beta, float* c,
                    const int*, const int*, const int* c_descriptor);
[[gnu::weak]] Psgemm sound_psgemm asm("__real_psgemm_");
Psgemm faulty_psgemm asm("__wrap_psgemm_");
void faulty_psgemm(const char* transpose_a, const char* transpose_b, const int* rows,
                   const int* columns, const int* inner, const float* alpha, const float* a,
                   const int* a_row, const int* a_column, const int* a_descriptor, const float* b,
                   const int* b_row, const int* b_column, const int* b_descriptor,
                   const float* beta, float* c, const int* c_row, const int* c_column,
                   const int* c_descriptor) {
    constexpr int leading_dimension = 8;  // its place in a descriptor
    sound_psgemm(transpose_a, transpose_b, rows, columns, inner, alpha, a, a_row, a_column,
                 a_descriptor, b, b_row, b_column, b_descriptor, beta, c, c_row, c_column,
                 c_descriptor);
    faults::pass(
        "psgemm",
        bytes_of(c, sizeof(float) * static_cast<std::size_t>(c_descriptor[leading_dimension])));
}

// FFTW-MPI: as many points of the result as every rank has.
using PlanFft = void*(std::ptrdiff_t points, double* input, double* output, MPI_Comm, int sign,
                      unsigned flags);
[[gnu::weak]] PlanFft sound_plan_fft asm("__real_fftw_mpi_plan_dft_1d");
PlanFft faulty_plan_fft asm("__wrap_fftw_mpi_plan_dft_1d");
void* faulty_plan_fft(std::ptrdiff_t points, double* input, double* output, MPI_Comm comm, int sign,
                      unsigned flags) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    result_of_plan() =
        bytes_of(output, 2 * sizeof(double) * static_cast<std::size_t>(points / ranks));
    return sound_plan_fft(points, input, output, comm, sign, flags);
}

using ExecuteFft = void(void* plan);
[[gnu::weak]] ExecuteFft sound_execute_fft asm("__real_fftw_execute");
ExecuteFft faulty_execute_fft asm("__wrap_fftw_execute");
void faulty_execute_fft(void* plan) {
    sound_execute_fft(plan);
    faults::pass("fftw", result_of_plan());
}

}  // extern "C"
