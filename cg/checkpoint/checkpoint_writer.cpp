#include "cg/checkpoint/checkpoint_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "bench/checkpoint/checkpoint_files.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/npy_header.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;

std::string vector_file(int rank) {
    return fmt::format("state-{}.npy", rank);
}

}  // namespace

template <typename Work>
void CheckpointWriter::agree(std::int64_t iteration, Work work) {
    if (const auto problem = comm::first_problem(world_, work)) {
        if (world_.rank() == 0) {
            folder_.give_up(iteration);
        }
        throw Failure(
            fmt::format("the checkpoint after iteration {} failed (those before it are kept): {}",
                        iteration, *problem));
    }
}

void CheckpointWriter::write(const IterationState& state, std::span<const double> history,
                             const std::function<CheckpointManifest()>& manifest) {
    const bool root = world_.rank() == 0;
    {
        const Span span(track_, Phase::checkpoint, "write vectors");
        agree(state.done, [&] {
            if (root) {
                folder_.begin(state.done);
            }
        });
        agree(state.done, [&] { write_image(state); });
    }
    CheckpointManifest all = manifest();
    const Span span(track_, Phase::checkpoint, "agree and rename");
    all.done = state.done;
    all.residual_dot = state.residual_dot;
    all.alpha = state.alpha;
    all.vectors = saved_files();
    agree(state.done, [&] {
        if (root) {
            write_manifest(std::move(all), history);
        }
    });
}

void CheckpointWriter::write_image(const IterationState& state) {
    image_.take(state);
    checksum_ = checksum(image_.bytes());
    bench::write_flushed(folder_.aside(state.done) / vector_file(world_.rank()), image_.bytes());
}

std::vector<SavedFile> CheckpointWriter::saved_files() const {
    const auto first_rows = world_.gather(image_.rows().begin);
    const auto rows = world_.gather(image_.rows().size());
    const auto checksums = world_.gather(std::bit_cast<std::int64_t>(checksum_));
    std::vector<SavedFile> files;
    for (int rank = 0; rank < world_.size(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        files.push_back({vector_file(rank), first_rows[index], rows[index],
                         std::bit_cast<std::uint64_t>(checksums[index])});
    }
    return files;
}

// On the root: all that makes the ranks' files a checkpoint.
void CheckpointWriter::write_manifest(CheckpointManifest manifest,
                                      std::span<const double> history) const {
    const fs::path folder = folder_.aside(manifest.done);
    const std::string header = format_npy_header(ElementType::f8, {std::ssize(history)});
    std::vector<std::byte> image(header.size() + history.size_bytes());
    std::ranges::copy(std::as_bytes(std::span(header)), image.begin());
    std::ranges::copy(std::as_bytes(history),
                      image.begin() + static_cast<std::ptrdiff_t>(header.size()));
    manifest.history = {"history.npy", 0, std::ssize(history), checksum(image)};
    bench::write_flushed(folder / manifest.history.name, image);
    const std::string text = to_text(manifest);
    bench::write_flushed(folder / CheckpointManifest::file, std::as_bytes(std::span(text)));
    folder_.commit(manifest.done);
}

}  // namespace quartet::cg
