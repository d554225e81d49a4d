#include "cg/checkpoint/checkpointing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/npy_header.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;

std::size_t vectors_of(Algorithm algorithm) {
    return algorithm == Algorithm::classic ? 3 : 4;
}

// The first vectors_of() are there.
std::array<device::View<double>, 4> views_of(const IterationState& state) {
    return {state.solution, state.residual, state.direction, state.direction_product};
}

Shape shape_of(Algorithm algorithm, std::int64_t rows) {
    return {static_cast<std::int64_t>(vectors_of(algorithm)), rows};
}

// A multiple of 64 bytes (format_npy_header).
std::size_t header_doubles(const Shape& shape) {
    return format_npy_header(ElementType::f8, shape).size() / sizeof(double);
}

std::string vector_file(int rank) {
    return fmt::format("state-{}.npy", rank);
}

void write_flushed(const fs::path& file, std::span<const std::byte> data) {
    OutputFile output(file);
    output.write(data);
    output.commit(Durability::power_cut);
}

// What is wrong with a file of a checkpoint, if anything.
std::optional<std::string> damage(const fs::path& path, const SavedFile& saved) {
    try {
        const std::string found = contents(path);
        if (checksum(std::as_bytes(std::span(found))) == saved.checksum) {
            return std::nullopt;
        }
        return fmt::format("{} is not as it was written (its checksum differs)",
                           quotation(path.native()));
    } catch (const FileError& error) {
        return fmt::format("{} cannot be read ({})", quotation(path.native()), error.reason());
    }
}

// The message of what a function throws, if it does.
std::optional<std::string> problem_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Failure& failure) {
        return failure.what();
    }
    return std::nullopt;
}

}  // namespace

Checkpointing::Checkpointing(bench::Session& session, CheckpointOptions options,
                             CheckpointManifest now, Range rows)
    : session_(session),
      world_(session.world()),
      options_(std::move(options)),
      folder_(*options_.folder),
      now_(std::move(now)),
      rows_(rows),
      header_(header_doubles(shape_of(now_.algorithm, rows.size()))) {
    make_usable();
    if (options_.restart != Restart::none) {
        choose();
        require_unaltered();
    }
    signals_.emplace();
    const Shape shape = shape_of(now_.algorithm, rows.size());
    const std::string header = format_npy_header(ElementType::f8, shape);
    image_ = device::allocate<double>(session.device(),
                                      static_cast<std::int64_t>(header_) + shape[0] * shape[1],
                                      device::MemoryKind::pinned);
    std::ranges::copy(std::as_bytes(std::span(header)),
                      std::as_writable_bytes(image_.span()).begin());
}

Bytes Checkpointing::memory(Algorithm algorithm, std::int64_t rows) {
    const Shape shape = shape_of(algorithm, rows);
    return bytes_of<double>(static_cast<std::int64_t>(header_doubles(shape)) + shape[0] * shape[1]);
}

void Checkpointing::make_usable() const {
    const fs::path& path = folder_.path();
    std::error_code error;
    if (world_.rank() == 0) {
        fs::create_directories(path, error);
    }
    world_.barrier();
    std::optional<std::string> problem;
    if (!fs::is_directory(path, error)) {
        problem = "it is no folder that all ranks see";
    } else if (world_.rank() == 0 && ::access(path.c_str(), W_OK | X_OK) != 0) {
        problem = "it cannot be written to";
    }
    if (const auto first = world_.first(problem)) {
        throw UsageError(fmt::format("--checkpoint: {} cannot be used ({}): name another folder",
                                     quotation(path.native()), *first));
    }
}

// The root reads the manifest for all: their views of a folder over a network may differ.
void Checkpointing::choose() {
    const auto there = folder_.iterations();
    const std::size_t back = options_.restart == Restart::latest ? 1 : 2;
    const bool enough = there.size() >= back;
    const fs::path file =
        folder_.checkpoint(enough ? there[there.size() - back] : 0) / CheckpointManifest::file;
    std::string text;
    agree(world_.rank() == 0 ? problem_of([&] { text = contents(file); }) : std::nullopt);
    text = world_.broadcast(text, 0);
    agree(problem_of([&] {
        try {
            origin_ = read_checkpoint_manifest(text);
        } catch (const Failure& failure) {
            throw Failure(fmt::format("{} {}", quotation(file.native()), failure.what()));
        }
    }));
    require_same_problem(*origin_, now_, folder_.checkpoint(origin_->done).native());
    now_.segments = origin_->segments;
}

// The files are dealt out: each is read once.
void Checkpointing::require_unaltered() const {
    const fs::path folder = folder_.checkpoint(origin_->done);
    std::vector<SavedFile> files = origin_->vectors;
    files.push_back(origin_->history);
    std::optional<std::string> problem;
    for (auto index = static_cast<std::size_t>(world_.rank()); index < files.size() && !problem;
         index += static_cast<std::size_t>(world_.size())) {
        problem = damage(folder / files[index].name, files[index]);
    }
    agree(problem);
}

// Throws on all ranks where one has a problem with what is gone on from. Collective.
void Checkpointing::agree(const std::optional<std::string>& problem) const {
    if (const auto first = world_.first(problem)) {
        throw Failure(fmt::format(
            "--restart: {}: go on from the checkpoint before it with --restart previous", *first));
    }
}

device::View<double> Checkpointing::staged(std::size_t vector) {
    return image_.view().part(
        static_cast<std::int64_t>(header_) + static_cast<std::int64_t>(vector) * rows_.size(),
        rows_.size());
}

void Checkpointing::restore(IterationState& state, std::span<double> history) {
    if (!origin_) {
        return;
    }
    std::ranges::for_each(origin_->vectors, [&](const SavedFile& file) { read_vectors(file); });
    const auto views = views_of(state);
    for (std::size_t vector = 0; vector < vectors_of(now_.algorithm); ++vector) {
        session_.device().copy(device::as_bytes(device::View<const double>(staged(vector))),
                               device::as_bytes(views[vector]), session_.stream());
    }
    session_.stream().synchronize();
    state.residual_dot = origin_->residual_dot;
    state.alpha = origin_->alpha;
    state.done = origin_->done;
    read_npy<double>(folder_.checkpoint(origin_->done) / origin_->history.name, {origin_->done},
                     history.first(static_cast<std::size_t>(origin_->done)));
}

// Of a file, the rows that are this rank's now.
void Checkpointing::read_vectors(const SavedFile& file) {
    const Range common{std::max(rows_.begin, file.first_row),
                       std::min(rows_.end, file.first_row + file.rows)};
    if (common.begin >= common.end) {
        return;
    }
    const fs::path path = folder_.checkpoint(origin_->done) / file.name;
    const NpyHeader header = read_npy_header(path);
    require(header, ElementType::f8, shape_of(now_.algorithm, file.rows), path);
    for (std::size_t vector = 0; vector < vectors_of(now_.algorithm); ++vector) {
        const auto row = static_cast<std::int64_t>(vector) * file.rows;
        read_npy<double>(path, header, row + common.begin - file.first_row,
                         staged(vector).part(common.begin - rows_.begin, common.size()).span());
    }
}

void Checkpointing::begin() {
    begin_ = now();
    cpu_begin_ = process_cpu_time();
}

bool Checkpointing::wants_stop() const {
    return signals_ && signals_->raised();
}

Next Checkpointing::after(const IterationState& state, std::span<const double> history, bool stop) {
    if (stop) {
        signals_->ignore_later();
    }
    const bool stops = stop && state.done < now_.iterations;
    if (!stops && state.done % options_.every != 0) {
        return Next::go_on;
    }
    save(state, history);
    if (!stops) {
        return Next::go_on;
    }
    stopped_ = fmt::format(
        "stopped on request after iteration {} of {} (checkpoint in {}): go on with "
        "--restart",
        state.done, now_.iterations, quotation(folder_.path().native()));
    return Next::stop;
}

void Checkpointing::save(const IterationState& state, std::span<const double> history) {
    const auto require = [&](const std::optional<std::string>& problem) {
        if (const auto first = world_.first(problem)) {
            if (world_.rank() == 0) {
                folder_.give_up(state.done);
            }
            throw Failure(
                fmt::format("the checkpoint after iteration {} failed (those before it "
                            "are kept): {}",
                            state.done, *first));
        }
    };
    const bool root = world_.rank() == 0;
    Track& track = session_.stream().track();
    {
        const Span span(track, Phase::checkpoint, "write vectors");
        require(root ? problem_of([&] { folder_.begin(state.done); }) : std::nullopt);
        require(problem_of([&] { write_vectors(state); }));
    }
    CheckpointManifest manifest = now_;
    manifest.done = state.done;
    manifest.residual_dot = state.residual_dot;
    manifest.alpha = state.alpha;
    manifest.segments = now_.segments + 1;
    manifest.spent = spent();
    const Span span(track, Phase::checkpoint, "agree and rename");
    manifest.vectors = saved_files();
    require(root ? problem_of([&] { write_manifest(std::move(manifest), history); })
                 : std::nullopt);
    ++written_;
}

void Checkpointing::write_vectors(const IterationState& state) {
    const auto views = views_of(state);
    for (std::size_t vector = 0; vector < vectors_of(now_.algorithm); ++vector) {
        session_.device().copy(device::as_bytes(device::View<const double>(views[vector])),
                               device::as_bytes(staged(vector)), session_.stream());
    }
    session_.stream().synchronize();
    const auto image = std::as_bytes(image_.span());
    checksum_ = checksum(image);
    write_flushed(folder_.aside(state.done) / vector_file(world_.rank()), image);
}

std::vector<SavedFile> Checkpointing::saved_files() const {
    const auto first_rows = world_.gather(rows_.begin);
    const auto rows = world_.gather(rows_.size());
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
void Checkpointing::write_manifest(CheckpointManifest manifest,
                                   std::span<const double> history) const {
    const fs::path folder = folder_.aside(manifest.done);
    const std::string header = format_npy_header(ElementType::f8, {std::ssize(history)});
    std::vector<std::byte> image(header.size() + history.size_bytes());
    std::ranges::copy(std::as_bytes(std::span(header)), image.begin());
    std::ranges::copy(std::as_bytes(history),
                      image.begin() + static_cast<std::ptrdiff_t>(header.size()));
    manifest.history = {"history.npy", 0, std::ssize(history), checksum(image)};
    write_flushed(folder / manifest.history.name, image);
    const std::string text = to_text(manifest);
    write_flushed(folder / CheckpointManifest::file, std::as_bytes(std::span(text)));
    folder_.commit(manifest.done);
}

bench::Spent Checkpointing::earlier() const {
    return origin_ ? origin_->spent : bench::Spent{};
}

// So far, the slowest rank's. Collective.
bench::Spent Checkpointing::spent() const {
    std::array<double, 2 + phase_count> mine{(now() - begin_).value,
                                             (process_cpu_time() - cpu_begin_).value};
    std::ranges::copy(session_.trace().busy(), mine.begin() + 2);
    const auto all = world_.gather(std::span<const double>(mine));
    std::size_t slowest = 0;
    for (std::size_t row = 0; row < all.size(); row += mine.size()) {
        slowest = all[row] > all[slowest] ? row : slowest;
    }
    bench::Spent spent = earlier();
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
    const std::string other = differences(*origin_, now_);
    return fmt::format(
        "went on from iteration {}{}", origin_->done,
        other.empty() ? " as it was begun" : ", not as before, so the bits may differ: " + other);
}

std::vector<std::pair<std::string, double>> Checkpointing::numbers() const {
    const auto size =
        static_cast<std::int64_t>(vectors_of(now_.algorithm)) * bytes_of<double>(now_.size);
    return {{"checkpoints", written_},
            {"checkpoint_bytes", static_cast<double>(size.value)},
            {"segments", now_.segments + 1},
            {"restarted_from", origin_ ? static_cast<double>(origin_->done) : 0}};
}

}  // namespace quartet::cg
