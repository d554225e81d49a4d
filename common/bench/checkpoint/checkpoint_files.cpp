#include "bench/checkpoint/checkpoint_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

namespace fs = std::filesystem;

void make_usable(const fs::path& folder, const comm::Communicator& world) {
    std::error_code error;
    if (world.rank() == 0) {
        fs::create_directories(folder, error);  // what is wrong shows below, on every rank
    }
    world.barrier();
    const auto problem = comm::first_problem(world, [&] {
        if (!fs::is_directory(folder, error)) {
            throw Failure("it is no folder that all ranks see");
        }
        if (world.rank() == 0 && ::access(folder.c_str(), W_OK | X_OK) != 0) {
            throw Failure("it cannot be written to");
        }
    });
    if (problem) {
        throw UsageError(fmt::format("--checkpoint: {} cannot be used ({}): name another folder",
                                     quotation(folder.native()), *problem));
    }
}

void write_flushed(const fs::path& file, std::span<const std::byte> data) {
    OutputFile output(file);
    output.write(data);
    output.commit(Durability::power_cut);
}

std::string unaltered(const fs::path& file, Bytes most, std::uint64_t checksum) {
    std::string found;
    try {
        found = contents(file, most);
    } catch (const FileError& error) {
        throw Failure(
            fmt::format("{} cannot be read ({})", quotation(file.native()), error.reason()));
    }
    if (quartet::checksum(std::as_bytes(std::span(found))) != checksum) {
        throw Failure(fmt::format("{} is not as it was written (its checksum differs)",
                                  quotation(file.native())));
    }
    return found;
}

}  // namespace quartet::bench
