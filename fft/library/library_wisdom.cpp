#include "fft/library/library_wisdom.hpp"

#include <fftw3-mpi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/result_file.hpp"
#include "fft/library/library_threads.hpp"

namespace quartet::fft {

namespace {

constexpr Bytes most_of_a_file = mebibytes(64);  // a problem takes some kilobytes

struct Free {
    void operator()(char* text) const { std::free(text); }
};

// FFTW ends the process over some damaged lines of its own format. It therefore gets a file only if
// this suite wrote it, to the last bit.
std::string sealed(std::string_view wisdom) {
    return fmt::format("plans of FFTW, checksum {:016x}\n{}",
                       checksum(std::as_bytes(std::span(wisdom))), wisdom);
}

void import_file(const std::filesystem::path& file) {
    std::error_code unreadable;  // which require_writable says, too
    if (!std::filesystem::exists(file, unreadable)) {
        return;
    }
    const std::string text = contents(file, most_of_a_file);
    const std::size_t end_of_line = text.find('\n');
    const std::string wisdom = end_of_line == text.npos ? "" : text.substr(end_of_line + 1);
    if (text != sealed(wisdom)) {
        throw Failure(
            fmt::format("{} is damaged, or not a file of FFTW's plans: remove it, or name "
                        "another one",
                        quotation(file.native())));
    }
    if (fftw_import_wisdom_from_string(wisdom.c_str()) == 0) {
        throw Failure(
            fmt::format("{} is of another FFTW (here it is {}): remove it, or name "
                        "another one",
                        quotation(file.native()), fftw_version));
    }
}

// While planning, not after minutes of measuring.
void require_writable(const std::filesystem::path& file) {
    const OutputFile probe(file);
}

}  // namespace

void read_wisdom(const comm::Communicator& comm, const std::filesystem::path& file) {
    start_fftw();  // wisdom names the methods, and is of no use before all are known
    const auto problem = comm::first_problem(comm, [&] {
        if (comm.rank() == 0) {
            import_file(file);
            require_writable(file);
        }
    });
    if (problem) {
        throw UsageError(fmt::format("--wisdom: {}", *problem));
    }
    fftw_mpi_broadcast_wisdom(comm.handle());
}

void write_wisdom(const comm::Communicator& comm, const std::filesystem::path& file) {
    fftw_mpi_gather_wisdom(comm.handle());
    comm::agree(comm, [&] {
        if (comm.rank() == 0) {
            const std::unique_ptr<char, Free> text(fftw_export_wisdom_to_string());
            check(text != nullptr, "FFTW cannot tell its wisdom");
            write_aside(file, sealed(text.get()));
        }
    });
}

}  // namespace quartet::fft
