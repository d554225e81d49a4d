#include "cg/checkpoint/restart_point.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/checkpoint/checkpoint_files.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/file.hpp"
#include "core/files/npy.hpp"
#include "core/files/npy_header.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;

// Throws, on all ranks, the first rank's problem with what is gone on from. Collective.
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

// `shape` is that of the array it should hold: nothing longer is read.
void require_unaltered(const fs::path& path, const SavedFile& saved, const Shape& shape) {
    const Bytes header{std::ssize(format_npy_header(ElementType::f8, shape))};
    const Bytes elements = bytes_of<double>(element_count(shape, ElementType::f8).value());
    static_cast<void>(bench::unaltered(path, header + elements, saved.checksum));
}

}  // namespace

RestartPoint::RestartPoint(const CheckpointFolder& folder, Restart which,
                           const CheckpointManifest& now, const comm::Communicator& world)
    : manifest_(choose(folder, which, world)), path_(folder.checkpoint(manifest_.done)) {
    require_same_problem(manifest_, now, path_.native());
    std::vector<SavedFile> files = manifest_.vectors;
    files.push_back(manifest_.history);
    agree_to_go_on(world, [&] {  // each file is read by one rank
        for (auto index = static_cast<std::size_t>(world.rank()); index < files.size();
             index += static_cast<std::size_t>(world.size())) {
            const bool is_history = index + 1 == files.size();
            require_unaltered(
                path_ / files[index].name, files[index],
                is_history ? Shape{manifest_.done}
                           : CheckpointImage::shape_of(manifest_.algorithm, files[index].rows));
        }
    });
}

void RestartPoint::restore(IterationState& state, std::span<double> history,
                           CheckpointImage& image) const {
    for (const SavedFile& file : manifest_.vectors) {
        image.read(path_ / file.name, file);
    }
    image.put(state);
    state.residual_dot = manifest_.residual_dot;
    state.alpha = manifest_.alpha;
    state.done = manifest_.done;
    read_npy<double>(path_ / manifest_.history.name, {manifest_.done},
                     history.first(static_cast<std::size_t>(manifest_.done)));
}

}  // namespace quartet::cg
