#include "cg/checkpoint/checkpointing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "bench/checkpoint/checkpoint_files.hpp"
#include "cg/checkpoint/restart_point.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/npy_header.hpp"

namespace quartet::cg {

namespace {

// Collective.
CheckpointFolder usable_folder(const std::filesystem::path& path, const comm::Communicator& world) {
    bench::make_usable(path, world);
    return CheckpointFolder(path);
}

std::string vector_file(int rank) {
    return fmt::format("state-{}.npy", rank);
}

}  // namespace

Checkpointing::Checkpointing(bench::Session& session, CheckpointOptions options,
                             CheckpointManifest now, Range rows)
    : session_(session),
      world_(session.world()),
      options_(std::move(options)),
      folder_(usable_folder(*options_.folder, world_)),
      now_(std::move(now)),
      image_(session.device(), session.stream(), now_.algorithm, rows) {
    if (options_.restart != Restart::none) {
        origin_ = find_restart_point(folder_, options_.restart, now_, world_);
        now_.segments = origin_->segments;
    }
    ++now_.segments;
}

void Checkpointing::restore(IterationState& state, std::span<double> history) {
    if (!origin_) {
        return;
    }
    const auto path = folder_.checkpoint(origin_->done);
    for (const SavedFile& file : origin_->vectors) {
        image_.read(path / file.name, file);
    }
    image_.put(state);
    state.residual_dot = origin_->residual_dot;
    state.alpha = origin_->alpha;
    state.done = origin_->done;
    read_npy<double>(path / origin_->history.name, {origin_->done},
                     history.first(static_cast<std::size_t>(origin_->done)));
}

void Checkpointing::begin() {
    begin_ = now();
    cpu_begin_ = process_cpu_time();
}

bool Checkpointing::wants_stop() const {
    return session_.stop_request().is_made();
}

Next Checkpointing::after(const IterationState& state, std::span<const double> history, bool stop) {
    if (stop) {
        session_.stop_request().ignore_later();
    }
    const bool stops = stop && state.done < now_.iterations;
    if (!stops && state.done % options_.every != 0) {
        return Next::go_on;
    }
    write(state, history);
    ++written_;
    if (!stops) {
        return Next::go_on;
    }
    stopped_ = fmt::format(
        "stopped on request after iteration {} of {} (checkpoint in {}): go on with "
        "--restart",
        state.done, now_.iterations, quotation(folder_.path().native()));
    return Next::stop;
}

// What fails on one rank fails on all. Collective.
template <typename Work>
void Checkpointing::agree(std::int64_t iteration, Work work) {
    if (const auto problem = comm::first_problem(world_, work)) {
        if (session_.is_root()) {
            folder_.give_up(iteration);
        }
        throw Failure(
            fmt::format("the checkpoint after iteration {} failed (those before it are kept): {}",
                        iteration, *problem));
    }
}

void Checkpointing::write(const IterationState& state, std::span<const double> history) {
    Track& track = session_.stream().track();
    std::uint64_t image_checksum = 0;
    {
        const Span span(track, Phase::checkpoint, "write vectors");
        agree(state.done, [&] {
            if (session_.is_root()) {
                folder_.begin(state.done);
            }
        });
        agree(state.done, [&] {
            image_.take(state);
            image_checksum = checksum(image_.bytes());
            bench::write_flushed(folder_.aside(state.done) / vector_file(world_.rank()),
                                 image_.bytes());
        });
    }
    CheckpointManifest manifest = now_;
    manifest.spent = spent();
    const Span span(track, Phase::checkpoint, "agree and rename");
    manifest.done = state.done;
    manifest.residual_dot = state.residual_dot;
    manifest.alpha = state.alpha;
    manifest.vectors = saved_files(image_checksum);
    agree(state.done, [&] {
        if (session_.is_root()) {
            write_manifest(std::move(manifest), history);
        }
    });
}

// The files of all ranks. Collective.
std::vector<SavedFile> Checkpointing::saved_files(std::uint64_t checksum) const {
    const auto first_rows = world_.gather(image_.rows().begin);
    const auto rows = world_.gather(image_.rows().size());
    const auto checksums = world_.gather(std::bit_cast<std::int64_t>(checksum));
    std::vector<SavedFile> files;
    for (int rank = 0; rank < world_.size(); ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        files.push_back({vector_file(rank), first_rows[index], rows[index],
                         std::bit_cast<std::uint64_t>(checksums[index])});
    }
    return files;
}

// On the root: writes the manifest that makes a checkpoint of the ranks' files.
void Checkpointing::write_manifest(CheckpointManifest manifest,
                                   std::span<const double> history) const {
    const auto folder = folder_.aside(manifest.done);
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

bench::EarlierTime Checkpointing::earlier() const {
    return origin_ ? origin_->spent : bench::EarlierTime{};
}

// The slowest rank's time so far. Collective.
bench::EarlierTime Checkpointing::spent() const {
    std::array<double, 2 + phase_count> mine{(now() - begin_).value,
                                             (process_cpu_time() - cpu_begin_).value};
    std::ranges::copy(session_.trace().busy(), mine.begin() + 2);
    const auto all = world_.gather(std::span<const double>(mine));
    std::size_t slowest = 0;
    for (std::size_t row = 0; row < all.size(); row += mine.size()) {
        slowest = all[row] > all[slowest] ? row : slowest;
    }
    bench::EarlierTime spent = earlier();
    spent.real.value += all[slowest];
    spent.cpu.value += all[slowest + 1];
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        spent.phases[phase] += all[slowest + 2 + phase];
    }
    return spent;
}

std::string Checkpointing::note() const {
    if (!origin_) {
        return {};
    }
    return fmt::format("went on from iteration {}{}", origin_->done,
                       bench::as_it_was_begun(origin_->set_up, now_.set_up));
}

std::vector<std::pair<std::string, double>> Checkpointing::numbers() const {
    const Bytes size = CheckpointImage::size_of_all(now_.algorithm, now_.size);
    return {{"checkpoints", written_},
            {"checkpoint_bytes", static_cast<double>(size.value)},
            {"segments", now_.segments},
            {"restarted_from", origin_ ? static_cast<double>(origin_->done) : 0}};
}

}  // namespace quartet::cg
