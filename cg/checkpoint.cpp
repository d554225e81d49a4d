#include "cg/checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "bench/results/version.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/npy.hpp"

namespace quartet::cg {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view prefix = "iteration-";
constexpr std::string_view unfinished = ".unfinished";
constexpr std::size_t vectors = 3;  // x, r, p

fs::path folder_of(const fs::path& folder, std::int64_t iteration) {
    return folder / fmt::format("{}{}", prefix, iteration);
}

fs::path aside_of(const fs::path& folder, std::int64_t iteration) {
    return folder / fmt::format("{}{}{}", prefix, iteration, unfinished);
}

std::string state_file(int rank) {
    return fmt::format("state-{}.npy", rank);
}

// The names of what checkpoints have left in the folder, finished or not.
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

void require(const std::error_code& error, std::string_view operation, const fs::path& path) {
    if (error) {
        throw FileError(operation, path, error.message());
    }
}

void erase(const fs::path& path) {
    std::error_code error;
    fs::remove_all(path, error);
    require(error, "remove", path);
}

// For the file's name to survive a power cut, flush its folder.
void write_flushed(const fs::path& file, std::string_view head, std::span<const std::byte> data) {
    OutputFile output(file);
    output.write(std::as_bytes(std::span(head)));
    output.write(data);
    output.commit(Durability::power_cut);
}

// Of the root: gives what was written aside its name, and keeps no other checkpoint.
void commit(const fs::path& folder, std::int64_t iteration) {
    const fs::path aside = aside_of(folder, iteration);
    const fs::path finished = folder_of(folder, iteration);
    Folder(aside).flush();
    std::error_code error;
    fs::rename(aside, finished, error);
    require(error, "write", finished);
    Folder(folder).flush();
    for (const std::string& name : names_in(folder)) {
        if (name != finished.filename()) {
            erase(folder / name);
        }
    }
}

std::string seal_of(const Json& content) {
    const std::string text = content.dump();
    return fmt::format("{:016x}", checksum(std::as_bytes(std::span(text))));
}

// The library's own conversion would cut and wrap silently.
std::int64_t count_of(const Json& json, const char* key, std::int64_t least) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    const Json& value = json.at(key);
    if (!value.is_number_integer() || value < least || value > most) {
        throw Failure(
            fmt::format("holds a {} that is no whole number from {} to {}", key, least, most));
    }
    return value.get<std::int64_t>();
}

// Many readers of JSON keep 53 bits of a number.
std::uint64_t whole_number(const Json& json) {
    const auto text = json.get<std::string>();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw Failure("holds something that is no number");
    }
    return value;
}

double seconds_of(const Json& value) {
    if (!value.is_number() || !(value.get<double>() >= 0)) {
        throw Failure("holds a time that is no number of seconds");
    }
    return value.get<double>();
}

Json to_json(const bench::EarlierTime& spent) {
    Json phases = Json::object();
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        phases[std::string(name(static_cast<Phase>(phase)))] = spent.phases[phase];
    }
    return {
        {"real_seconds", spent.real.value}, {"cpu_seconds", spent.cpu.value}, {"phases", phases}};
}

bench::EarlierTime earlier_time_of(const Json& json) {
    bench::EarlierTime spent{
        {seconds_of(json.at("real_seconds"))}, {seconds_of(json.at("cpu_seconds"))}, {}};
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        spent.phases[phase] =
            seconds_of(json.at("phases").at(std::string(name(static_cast<Phase>(phase)))));
    }
    return spent;
}

Json content_of(const CheckpointManifest& manifest) {
    Json checksums = Json::array();
    for (const std::uint64_t checksum : manifest.checksums) {
        checksums.push_back(fmt::format("{:016x}", checksum));
    }
    return {{"schema_version", CheckpointManifest::schema_version},
            {"kernel", "cg"},
            {"system", manifest.system},
            {"size", manifest.size},
            {"seed", fmt::format("{:x}", manifest.seed)},
            {"ranks", manifest.ranks},
            {"formulation", manifest.formulation},
            {"set_up", manifest.set_up},
            {"iterations", manifest.iterations},
            {"residual_dot", manifest.residual_dot},
            {"alpha", manifest.alpha},
            {"history", manifest.history},
            {"spent", to_json(manifest.spent)},
            {"checksums", checksums}};
}

CheckpointManifest manifest_in(const Json& content) {
    if (content.at("schema_version") != CheckpointManifest::schema_version ||
        content.at("kernel") != "cg") {
        throw Failure("is of another version of the format, or of another program");
    }
    CheckpointManifest manifest;
    content.at("system").get_to(manifest.system);
    manifest.size = count_of(content, "size", 1);
    manifest.seed = whole_number(content.at("seed"));
    manifest.ranks = count_of(content, "ranks", 1);
    content.at("formulation").get_to(manifest.formulation);
    content.at("set_up").get_to(manifest.set_up);
    manifest.iterations = count_of(content, "iterations", 1);
    content.at("residual_dot").get_to(manifest.residual_dot);
    content.at("alpha").get_to(manifest.alpha);
    content.at("history").get_to(manifest.history);
    manifest.spent = earlier_time_of(content.at("spent"));
    for (const Json& checksum : content.at("checksums")) {
        manifest.checksums.push_back(whole_number(checksum));
    }
    if (manifest.done() > manifest.iterations || std::ssize(manifest.checksums) != manifest.ranks) {
        throw Failure("has more iterations than it should, or not as many ranks");
    }
    return manifest;
}

void require_same_problem(const CheckpointManifest& found, const CheckpointManifest& now,
                          const std::string& folder) {
    const auto require = [&](const char* what, const auto& is, const auto& should_be) {
        if (is != should_be) {
            throw UsageError(fmt::format(
                "--restart: {} is of another job ({} {}, not {}): ask for that one, or name "
                "another folder",
                folder, what, is, should_be));
        }
    };
    require("--problem", found.system, now.system);
    require("--size", found.size, now.size);
    require("--seed", found.seed, now.seed);
    require("--formulation", found.formulation, now.formulation);
    require("ranks:", found.ranks, now.ranks);
    if (found.done() > now.iterations) {
        throw UsageError(
            fmt::format("--restart: {} is past --iterations {} (it has done {}): ask for more",
                        folder, now.iterations, found.done()));
    }
}

// Does local work. Throws, on all ranks, the first rank's problem with the checkpoint. Collective.
template <typename Work>
void agree_to_go_on(const comm::Communicator& world, Work work) {
    if (const auto problem = comm::first_problem(world, work)) {
        throw UsageError(fmt::format("--restart: {}: begin anew, in another folder", *problem));
    }
}

// What fails on one rank fails on all. Collective.
template <typename Work>
void agree_to_save(const comm::Communicator& world, const fs::path& aside, std::int64_t iteration,
                   Work work) {
    if (const auto problem = comm::first_problem(world, work)) {
        std::error_code ignored;
        if (world.rank() == 0) {
            fs::remove_all(aside, ignored);
        }
        throw Failure(
            fmt::format("the checkpoint after iteration {} failed (the one before it is kept): {}",
                        iteration, *problem));
    }
}

// Makes the folder. All ranks must see it, and the root must be able to write to it. Collective.
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

}  // namespace

std::string to_text(const CheckpointManifest& manifest) {
    const Json content = content_of(manifest);
    return Json{{"content", content}, {"checksum", seal_of(content)}}.dump() + "\n";
}

CheckpointManifest parse_manifest(const std::string& text) {
    try {
        const Json document = Json::parse(text);
        const Json& content = document.at("content");
        if (document.at("checksum") != seal_of(content)) {
            throw Failure("is not as it was written (its checksum differs)");
        }
        return manifest_in(content);
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

Checkpoint::Checkpoint(bench::Session& session, const CheckpointOptions& options,
                       const bench::Variant& variant, const Problem& problem, Range rows)
    : session_(session), world_(session.world()), options_(options), rows_(rows.size()) {
    make_usable(*options_.folder, world_);
    now_.system = problem.system;
    now_.size = problem.size;
    now_.seed = session.options().seed;
    now_.ranks = world_.size();
    now_.formulation = name(variant.formulation);
    now_.set_up = {{"transport", variant.transport},
                   {"storage", std::string(name(problem.storage))},
                   {"threads", std::to_string(session.threads())},
                   {"device", session.device().description()},
                   {"isa", session.isa()},
                   {"commit", std::string(bench::commit())},
                   {"compiler", std::string(bench::compiler())}};
    now_.iterations = problem.iterations;
    image_ = device::allocate<double>(session.device(), memory(rows_).value / 8,
                                      device::MemoryKind::pinned);
    if (options_.restart == bench::Switch::on) {
        // The root's view: ranks may see a folder over a network at different times.
        const auto latest = static_cast<double>(latest_checkpoint(*options_.folder).value_or(0));
        read(static_cast<std::int64_t>(world_.broadcast(latest, 0)));
    }
}

Bytes Checkpoint::memory(std::int64_t rows) {
    return bytes_of<double>(static_cast<std::int64_t>(vectors) * rows);
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
    require_same_problem(*origin_, now_, quotation(folder.native()));
    agree_to_go_on(world_, [&] {
        const fs::path state = folder / state_file(world_.rank());
        read_npy(state, {static_cast<std::int64_t>(vectors), rows_}, image_.span());
        if (checksum(std::as_bytes(image_.span())) !=
            origin_->checksums[static_cast<std::size_t>(world_.rank())]) {
            throw Failure(fmt::format("{} is not as it was written (its checksum differs)",
                                      quotation(state.native())));
        }
    });
}

void Checkpoint::restore(IterationState& state, std::span<double> history) {
    if (!origin_) {
        return;
    }
    device::View<const double> from = image_.view();
    for (const device::View<double>& to : {state.solution, state.residual, state.direction}) {
        session_.device().copy(device::as_bytes(from.part(0, rows_)), device::as_bytes(to),
                               session_.stream());
        from = from.part(rows_, from.size() - rows_);
    }
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
        "stopped on request after iteration {} of {} (checkpoint in {}): go on with --restart",
        state.done, now_.iterations, quotation(options_.folder->native()));
    return Next::stop;
}

void Checkpoint::write(const IterationState& state, std::span<const double> history) {
    const Span span(session_.stream().track(), Phase::checkpoint, "save");
    const fs::path& folder = *options_.folder;
    const fs::path aside = aside_of(folder, state.done);
    agree_to_save(world_, aside, state.done, [&] {
        if (session_.is_root()) {
            for (const std::string& name : names_in(folder)) {  // left by killed processes
                if (name.ends_with(unfinished)) {
                    erase(folder / name);
                }
            }
            make_folder(aside);
        }
    });
    std::uint64_t sum = 0;
    agree_to_save(world_, aside, state.done, [&] {
        device::View<double> to = image_.view();
        for (const device::View<double>& from : {state.solution, state.residual, state.direction}) {
            session_.device().copy(device::as_bytes(device::View<const double>(from)),
                                   device::as_bytes(to.part(0, rows_)), session_.stream());
            to = to.part(rows_, to.size() - rows_);
        }
        session_.stream().synchronize();
        const auto data = std::as_bytes(image_.span());
        sum = checksum(data);
        write_flushed(
            aside / state_file(world_.rank()),
            format_npy_header(ElementType::f8, {static_cast<std::int64_t>(vectors), rows_}), data);
    });
    CheckpointManifest manifest = now_;
    manifest.residual_dot = state.residual_dot;
    manifest.alpha = state.alpha;
    manifest.spent = spent();
    for (const std::int64_t checksum : world_.gather(std::bit_cast<std::int64_t>(sum))) {
        manifest.checksums.push_back(std::bit_cast<std::uint64_t>(checksum));
    }
    agree_to_save(world_, aside, state.done, [&] {
        if (session_.is_root()) {
            manifest.history.assign(history.begin(), history.end());
            write_flushed(aside / "manifest.json", to_text(manifest), {});
            commit(folder, state.done);
        }
    });
}

bench::EarlierTime Checkpoint::earlier() const {
    return origin_ ? origin_->spent : bench::EarlierTime{};
}

// The slowest rank's time so far. Collective.
bench::EarlierTime Checkpoint::spent() const {
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

std::string Checkpoint::note() const {
    if (!origin_) {
        return {};
    }
    std::string others;
    for (const auto& [what, value] : now_.set_up) {
        const auto before = origin_->set_up.find(what);
        const std::string was = before == origin_->set_up.end() ? "unknown" : before->second;
        if (was != value) {
            others += fmt::format("{}{} {} (was {})", others.empty() ? "" : ", ", what, value, was);
        }
    }
    return fmt::format(
        "went on from iteration {}{}", origin_->done(),
        others.empty() ? " as it was begun" : ", not as before, so the bits may differ: " + others);
}

std::vector<std::pair<std::string, double>> Checkpoint::numbers() const {
    const Bytes size = memory(now_.size);
    return {{"checkpoints", written_},
            {"checkpoint_bytes", static_cast<double>(size.value)},
            {"restarted_from", origin_ ? static_cast<double>(origin_->done()) : 0}};
}

}  // namespace quartet::cg
