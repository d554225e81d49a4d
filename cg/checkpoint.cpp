#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cg/case.hpp"
#include "comm/mpi/communicator.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/npy.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view prefix = "iteration-";
constexpr std::string_view unfinished = ".unfinished";
constexpr std::int64_t saved_vectors = 3;  // x, r, p

fs::path folder_of(const fs::path& folder, std::int64_t iteration, std::string_view suffix = "") {
    return folder / fmt::format("{}{}{}", prefix, iteration, suffix);
}

fs::path state_file(const fs::path& folder, int rank) {
    return folder / fmt::format("state-{}.npy", rank);
}

// The names of all checkpoints in the folder, finished or not.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (auto name = entry->path().filename().string(); name.starts_with(prefix)) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

void erase(const fs::path& path) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) {
        throw FileError("remove", path, error.message());
    }
}

// For the file's name to survive a power cut, flush its folder.
void write_flushed(const fs::path& file, std::string_view head, std::span<const std::byte> data) {
    OutputFile output(file);
    output.write(std::as_bytes(std::span(head)));
    output.write(data);
    output.commit(Durability::power_cut);
}

// On the root: renames the finished checkpoint, and removes all others.
void commit(const fs::path& folder, std::int64_t iteration) {
    const fs::path aside = folder_of(folder, iteration, unfinished);
    const fs::path finished = folder_of(folder, iteration);
    Folder(aside).flush();
    std::error_code error;
    fs::rename(aside, finished, error);
    if (error) {
        throw FileError("write", finished, error.message());
    }
    Folder(folder).flush();
    for (const std::string& name : names_in(folder)) {
        if (name != finished.filename()) {
            erase(folder / name);
        }
    }
}

template <typename Data>
std::string checksum_of(const Data& data) {
    return fmt::format("{:016x}", checksum(std::as_bytes(std::span(data))));
}

void require_same_job(const std::map<std::string, std::string>& found,
                      const std::map<std::string, std::string>& now, const std::string& folder) {
    for (const auto& [what, value] : now) {
        const auto there = found.find(what);
        const std::string was = there == found.end() ? "unknown" : there->second;
        if (was != value) {
            throw UsageError(fmt::format(
                "--restart: {} is of another job ({} {}, not {}): ask for that one, or name "
                "another folder",
                folder, what, was, value));
        }
    }
}

// Does local work. Throws, on all ranks, the first rank's problem with the checkpoint. Collective.
template <typename Work>
void agree_to_go_on(const comm::Communicator& world, Work work) {
    if (const auto problem = comm::first_problem(world, work)) {
        throw UsageError(fmt::format("--restart: {}: begin anew, in another folder", *problem));
    }
}

// Calls use(vector, its place in the image) for x, r and p.
template <typename Use>
void for_each_vector(const IterationState& state, device::View<double> image, Use use) {
    for (const device::View<double>& vector : {state.solution, state.residual, state.direction}) {
        use(vector, image.part(0, vector.size()));
        image = image.part(vector.size(), image.size() - vector.size());
    }
}

// Makes the folder. All ranks must see it, and the root must be able to write to it. Collective.
void make_usable(const fs::path& folder, const comm::Communicator& world) {
    std::error_code error;
    if (world.rank() == 0) {
        fs::create_directories(folder, error);  // an error shows below, on every rank
    }
    world.barrier();
    const auto problem = comm::first_problem(world, [&] {
        if (!fs::is_directory(folder, error)) {
            throw Failure("not all ranks see a folder there");
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

}  // namespace

std::string to_text(const CheckpointManifest& manifest) {
    const Json content{{"schema_version", CheckpointManifest::schema_version},
                       {"kernel", "cg"},
                       {"job", manifest.job},
                       {"residual_dot", manifest.residual_dot},
                       {"alpha", manifest.alpha},
                       {"history", manifest.history},
                       {"spent", manifest.spent},
                       {"checksums", manifest.checksums}};
    return Json{{"content", content}, {"checksum", checksum_of(content.dump())}}.dump() + "\n";
}

CheckpointManifest parse_manifest(const std::string& text) {
    try {
        const Json document = Json::parse(text);
        const Json& content = document.at("content");
        if (document.at("checksum") != checksum_of(content.dump())) {
            throw Failure("is not as it was written (its checksum differs)");
        }
        if (content.at("schema_version") != CheckpointManifest::schema_version ||
            content.at("kernel") != "cg") {
            throw Failure("is of another version of the format, or of another program");
        }
        CheckpointManifest manifest;
        content.at("job").get_to(manifest.job);
        content.at("residual_dot").get_to(manifest.residual_dot);
        content.at("alpha").get_to(manifest.alpha);
        content.at("history").get_to(manifest.history);
        content.at("spent").get_to(manifest.spent);
        content.at("checksums").get_to(manifest.checksums);
        if (manifest.spent.size() != 2 + phase_count || manifest.history.empty() ||
            !(std::ranges::min(manifest.spent) >= 0)) {
            throw Failure("has no iterations, or times that are no numbers of seconds");
        }
        return manifest;
    } catch (const Json::exception&) {
        throw Failure("is not a manifest (cut off, or of other keys or types)");
    }
}

std::optional<std::int64_t> latest_checkpoint(const fs::path& folder) {
    std::optional<std::int64_t> latest;
    for (const std::string& name : names_in(folder)) {
        std::int64_t iteration = 0;
        const char* end = name.data() + name.size();
        const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, iteration);
        if (error == std::errc{} && stop == end) {
            latest = std::max(latest.value_or(iteration), iteration);
        }
    }
    return latest;
}

Checkpoint::Checkpoint(device::Arena& arena, bench::Session& session, CheckpointOptions options,
                       const bench::Variant& variant, const Problem& problem, Range rows)
    : session_(session),
      world_(session.world()),
      options_(std::move(options)),
      job_{{"--problem", problem.system},
           {"--size", std::to_string(problem.size)},
           {"--seed", std::to_string(session.options().seed)},
           {"--formulation", std::string(name(variant.formulation))},
           {"ranks", std::to_string(session.world().size())}},
      size_(problem.size),
      iterations_(problem.iterations),
      rows_(rows.size()),
      image_(arena.make<double>(saved_vectors * rows_, device::MemoryKind::pinned)) {
    if (arena.plans()) {
        return;
    }
    make_usable(*options_.folder, world_);
    if (options_.restart == bench::Switch::on) {
        // The root's view: ranks may see a folder over a network at different times.
        const auto latest = static_cast<double>(latest_checkpoint(*options_.folder).value_or(0));
        read(static_cast<std::int64_t>(world_.broadcast(latest, 0)));
    }
}

void Checkpoint::read(std::int64_t iteration) {
    const fs::path folder = folder_of(*options_.folder, iteration);
    const fs::path file = folder / "manifest.json";
    std::string text;
    agree_to_go_on(world_, [&] { text = session_.is_root() ? contents(file) : ""; });
    text = world_.broadcast(text, 0);
    agree_to_go_on(world_, [&] {
        try {
            origin_ = parse_manifest(text);
        } catch (const Failure& failure) {
            throw Failure(fmt::format("{} {}", quotation(file.native()), failure.what()));
        }
    });
    require_same_job(origin_->job, job_, quotation(folder.native()));
    if (origin_->done() > iterations_) {
        throw UsageError(
            fmt::format("--restart: {} is past --iterations {} (it has done {}): ask for more",
                        quotation(folder.native()), iterations_, origin_->done()));
    }
    agree_to_go_on(world_, [&] {
        const fs::path state = state_file(folder, world_.rank());
        read_npy(state, {saved_vectors, rows_}, image_.span());
        const auto rank = static_cast<std::size_t>(world_.rank());
        if (rank >= origin_->checksums.size() ||
            checksum_of(image_.span()) != origin_->checksums[rank]) {
            throw Failure(fmt::format("{} is not as it was written (its checksum differs)",
                                      quotation(state.native())));
        }
    });
}

void Checkpoint::restore(IterationState& state, std::span<double> history) {
    if (!origin_) {
        return;
    }
    for_each_vector(state, image_.view(), [this](const auto& vector, const auto& saved) {
        session_.device().copy(device::as_bytes(device::View<const double>(saved)),
                               device::as_bytes(vector), session_.stream());
    });
    session_.stream().synchronize();
    state.residual_dot = origin_->residual_dot;
    state.alpha = origin_->alpha;
    state.done = origin_->done();
    std::ranges::copy(origin_->history, history.begin());
}

void Checkpoint::begin() {
    begin_ = now();
    cpu_begin_ = process_cpu_time();
}

bool Checkpoint::wants_stop() const {
    return session_.stop_request().is_made();
}

Next Checkpoint::after(const IterationState& state, std::span<const double> history, bool stop) {
    if (stop) {
        session_.stop_request().ignore_later();
    }
    const bool stops = stop && state.done < iterations_;
    if (!stops && state.done % options_.every != 0) {
        return Next::go_on;
    }
    write(state, history);
    ++written_;
    if (!stops) {
        return Next::go_on;
    }
    stopped_ = fmt::format(
        "stopped on request after iteration {} of {} (checkpoint in {}): go on with --restart",
        state.done, iterations_, quotation(options_.folder->native()));
    return Next::stop;
}

void Checkpoint::write(const IterationState& state, std::span<const double> history) {
    const Span span(session_.stream().track(), Phase::checkpoint, "save");
    const fs::path& folder = *options_.folder;
    const fs::path aside = folder_of(folder, state.done, unfinished);
    // Does local work. Throws, on all ranks, what failed on one.
    const auto agree = [&](const auto& work) {
        if (const auto problem = comm::first_problem(world_, work)) {
            std::error_code ignored;
            if (session_.is_root()) {
                fs::remove_all(aside, ignored);
            }
            throw Failure(fmt::format(
                "the checkpoint after iteration {} failed (the one before it is kept): {}",
                state.done, *problem));
        }
    };
    agree([&] {
        if (session_.is_root()) {
            for (const std::string& name : names_in(folder)) {  // left by killed processes
                if (name.ends_with(unfinished)) {
                    erase(folder / name);
                }
            }
            make_folder(aside);
        }
    });
    std::string sum;
    agree([&] {
        for_each_vector(state, image_.view(), [this](const auto& vector, const auto& saved) {
            session_.device().copy(device::as_bytes(device::View<const double>(vector)),
                                   device::as_bytes(saved), session_.stream());
        });
        session_.stream().synchronize();
        sum = checksum_of(image_.span());
        write_flushed(state_file(aside, world_.rank()),
                      format_npy_header(ElementType::f8, {saved_vectors, rows_}),
                      std::as_bytes(image_.span()));
    });
    CheckpointManifest manifest{job_, state.residual_dot, state.alpha, {}, spent(), {}};
    manifest.checksums = world_.gather(sum);
    agree([&] {
        if (session_.is_root()) {
            manifest.history.assign(history.begin(), history.end());
            write_flushed(aside / "manifest.json", to_text(manifest), {});
            commit(folder, state.done);
        }
    });
}

bench::EarlierTime Checkpoint::earlier() const {
    bench::EarlierTime earlier;
    if (origin_) {
        earlier.real = {origin_->spent[0]};
        earlier.cpu = {origin_->spent[1]};
        std::copy_n(origin_->spent.begin() + 2, phase_count, earlier.phases.begin());
    }
    return earlier;
}

// The slowest rank's time so far. Collective.
std::vector<double> Checkpoint::spent() const {
    std::vector<double> mine{(now() - begin_).value, (process_cpu_time() - cpu_begin_).value};
    std::ranges::copy(session_.trace().busy(), std::back_inserter(mine));
    const auto all = world_.gather(std::span<const double>(mine));
    std::size_t slowest = 0;
    for (std::size_t row = 0; row < all.size(); row += mine.size()) {
        slowest = all[row] > all[slowest] ? row : slowest;
    }
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(slowest), mine.size(), mine.begin());
    if (origin_) {
        std::ranges::transform(mine, origin_->spent, mine.begin(), std::plus());
    }
    return mine;
}

std::string Checkpoint::note() const {
    return origin_ ? fmt::format("went on from iteration {}", origin_->done()) : "";
}

std::vector<std::pair<std::string, double>> Checkpoint::numbers() const {
    const Bytes size = bytes_of<double>(saved_vectors * size_);
    return {{"checkpoints", written_},
            {"checkpoint_bytes", static_cast<double>(size.value)},
            {"restarted_from", origin_ ? static_cast<double>(origin_->done()) : 0}};
}

}  // namespace quartet::cg
