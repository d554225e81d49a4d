#include "cg/checkpoint/restart_point.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/checkpoint/checkpoint_files.hpp"
#include "cg/checkpoint/checkpoint_image.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/file.hpp"
#include "core/files/npy.hpp"
#include "core/files/npy_header.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;

// Does local work. Throws, on all ranks, the first rank's problem with the checkpoint. Collective.
template <typename Work>
void agree_to_go_on(const comm::Communicator& world, Work work) {
    if (const auto problem = comm::first_problem(world, work)) {
        throw UsageError(fmt::format(
            "--restart: {}: go on from the checkpoint before it with --restart previous",
            *problem));
    }
}

// The root reads the manifest for all: their views of a folder over a network may differ.
CheckpointManifest read_agreed(const fs::path& file, const comm::Communicator& world) {
    std::string text;
    agree_to_go_on(world, [&] {
        if (world.rank() == 0) {
            text = contents(file);
        }
    });
    text = world.broadcast(text, 0);
    CheckpointManifest manifest;
    agree_to_go_on(world, [&] {
        try {
            manifest = read_checkpoint_manifest(text);
        } catch (const Failure& failure) {
            throw Failure(fmt::format("{} {}", quotation(file.native()), failure.what()));
        }
    });
    return manifest;
}

CheckpointManifest choose(const CheckpointFolder& folder, Restart which,
                          const comm::Communicator& world) {
    const auto there = folder.iterations();
    const std::size_t back = which == Restart::latest ? 1 : 2;
    const std::int64_t mine = there.size() >= back ? there[there.size() - back] : 0;
    // The root's: ranks may see a folder over a network at different times.
    const auto iteration = static_cast<std::int64_t>(world.broadcast(static_cast<double>(mine), 0));
    return read_agreed(folder.checkpoint(iteration) / CheckpointManifest::file, world);
}

// `shape` is the shape of the array that the file should hold: nothing longer is read.
void require_unaltered(const fs::path& path, const SavedFile& saved, const Shape& shape) {
    const Bytes header{std::ssize(format_npy_header(ElementType::f8, shape))};
    const Bytes elements = bytes_of<double>(element_count(shape, ElementType::f8).value());
    static_cast<void>(bench::unaltered(path, header + elements, saved.checksum));
}

}  // namespace

CheckpointManifest find_restart_point(const CheckpointFolder& folder, Restart which,
                                      const CheckpointManifest& now,
                                      const comm::Communicator& world) {
    const CheckpointManifest found = choose(folder, which, world);
    const fs::path path = folder.checkpoint(found.done);
    require_same_problem(found, now, path.native());
    agree_to_go_on(world, [&] {  // each file is read by one rank
        for (auto index = static_cast<std::size_t>(world.rank()); index <= found.vectors.size();
             index += static_cast<std::size_t>(world.size())) {
            const bool is_history = index == found.vectors.size();
            const SavedFile& file = is_history ? found.history : found.vectors[index];
            require_unaltered(path / file.name, file,
                              is_history ? Shape{found.done}
                                         : CheckpointImage::shape_of(found.algorithm, file.rows));
        }
    });
    return found;
}

}  // namespace quartet::cg
