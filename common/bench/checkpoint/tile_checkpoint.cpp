#include "bench/checkpoint/tile_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/checkpoint/checkpoint_files.hpp"
#include "bench/checkpoint/sealed_json.hpp"
#include "comm/mpi/agree.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view tile_prefix = "tile-";
constexpr std::string_view list_prefix = "tiles-";
constexpr std::string_view list_suffix = ".json";

std::vector<fs::path> files_in(const fs::path& folder, std::string_view prefix,
                               std::string_view suffix) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with(prefix) && name.ends_with(suffix)) {
            files.push_back(entry->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

std::vector<fs::path> lists_in(const fs::path& folder) {
    return files_in(folder, list_prefix, list_suffix);
}

bool is_tile(const fs::path& file) {
    const std::string number = file.filename().string().substr(tile_prefix.size());
    return !number.empty() &&
           std::ranges::all_of(number, [](char digit) { return '0' <= digit && digit <= '9'; });
}

// Removes what killed ranks were writing. No other job writes there: the folder is locked.
void remove_unfinished(const fs::path& folder) {
    for (const std::string_view prefix : {tile_prefix, list_prefix}) {
        for (const fs::path& file : files_in(folder, prefix, ".tmp")) {
            std::error_code ignored;
            fs::remove(file, ignored);
        }
    }
}

// Throws, on all ranks, the first rank's problem with what is gone on from. Collective.
template <typename Work>
void agree_to_go_on(const comm::Communicator& world, Work work) {
    if (const auto problem = comm::first_problem(world, work)) {
        throw UsageError(fmt::format("--restart: {}: begin anew in another folder", *problem));
    }
}

// One checksum of all that the manifest of a folder of data has for these files.
std::string data_checksum(const fs::path& folder, const std::vector<TileFile>& files) {
    constexpr auto unknown = "unknown";
    if (!is_there(folder / "manifest.json")) {
        return unknown;
    }
    const Manifest manifest = read_manifest(folder);
    std::string all;
    for (const TileFile& file : files) {
        const auto found = manifest.checksums.find(file.name);
        if (found == manifest.checksums.end()) {
            return unknown;
        }
        all += fmt::format("{} {}\n", file.name, found->second);
    }
    return hexadecimal(checksum(std::as_bytes(std::span(all))));
}

}  // namespace

CheckpointKind tile_checkpoints(std::string_view help, std::vector<Formulation> formulations,
                                std::string why_no_others) {
    return {.units = "tiles",
            .help = fmt::format("{}; ends early on SIGUSR1 or SIGTERM; one run, no warm-up", help),
            .prefix = "tile",
            .oldest = Restart::latest,
            .formulations = std::move(formulations),
            .why_no_others = std::move(why_no_others)};
}

void require_consistent_tiles(const CheckpointOptions& options, const CheckpointKind& kind,
                              const DataOptions& data, const Runs& runs) {
    require_consistent(options, kind, runs);
    if (options.wanted() && !data.in_files()) {
        throw UsageError(
            "--checkpoint: what is computed from memory is not kept (its data would be made anew): "
            "add --data DIR");
    }
}

void require_usable_tiles(const CheckpointOptions& options) {
    if (!options.wanted()) {
        return;
    }
    const std::size_t lists = lists_in(*options.folder).size();
    require_usable(options, lists);
    const auto tiles = files_in(*options.folder, tile_prefix, "");
    if (lists == 0 && std::ranges::any_of(tiles, is_tile)) {
        throw UsageError(
            fmt::format("--checkpoint: {} is there, and no list of tiles that says whose it is (it "
                        "would be replaced): name another folder",
                        quotation(std::ranges::find_if(tiles, is_tile)->native())));
    }
}

TileList tile_list(Session& session, const Variant& variant, const DataOptions& data,
                   const std::vector<TileFile>& files) {
    TileList list;
    list.job["--seed"] = data.is_own() ? "none" : std::to_string(session.options().seed);
    list.job["--formulation"] = name(variant.formulation);
    list.job["data of the checksum"] =
        session.world().broadcast(data_checksum(*data.folder, files), 0);
    list.set_up = set_up_of(session, variant);
    return list;
}

TileCheckpoint::TileCheckpoint(Session& session, const CheckpointOptions& options, TileList now)
    : session_(session),
      options_(options),
      folder_(*options.folder),
      stop_(session),
      mine_(std::move(now)),
      taken_over_(static_cast<std::size_t>(mine_.tiles)) {
    if (session.is_root()) {
        remove_unfinished(folder_);
    }
    make_usable(folder_, session.world());
    if (options.restart != Restart::none) {
        take_over();
    }
    ++mine_.segments;
    if (options.restart == Restart::none) {
        comm::agree(session.world(), [&] { write_list(); });  // says whose the tiles will be
    }
}

fs::path TileCheckpoint::file_of(std::int64_t tile) const {
    return folder_ / fmt::format("{}{}", tile_prefix, tile);
}

fs::path TileCheckpoint::list_of(int rank) const {
    return folder_ / fmt::format("{}{}{}", list_prefix, rank, list_suffix);
}

// The root reads the lists for all: their views of a folder over a network may differ.
void TileCheckpoint::take_over() {
    const comm::Communicator& world = session_.world();
    std::vector<std::pair<fs::path, std::string>> lists;
    agree_to_go_on(world, [&] {
        if (session_.is_root()) {
            for (const fs::path& list : lists_in(folder_)) {
                lists.emplace_back(list, contents(list));
            }
        }
    });
    const auto count =
        static_cast<std::size_t>(world.broadcast(static_cast<double>(lists.size()), 0));
    lists.resize(count);
    for (auto& [file, text] : lists) {
        file = world.broadcast(file.string(), 0);
        text = world.broadcast(text, 0);
        TileList list;
        agree_to_go_on(world, [&] {
            try {
                list = read_tile_list(text);
            } catch (const Failure& failure) {
                throw Failure(fmt::format("{} {}", quotation(file.native()), failure.what()));
            }
        });
        require_same_job(list, mine_, folder_.native());
        take_over(list);
        if (file == list_of(world.rank())) {  // which this rank replaces
            mine_.done = list.done;
        }
    }
    agree_to_go_on(world, [&] { require_unaltered(); });
}

void TileCheckpoint::take_over(const TileList& list) {
    for (const KeptTile& tile : list.done) {
        if (!has(tile.number)) {
            taken_over_[static_cast<std::size_t>(tile.number)] = true;
            sources_.push_back(tile);
        }
    }
    if (list.spent.real > earlier_.real) {
        earlier_ = list.spent;
    }
    mine_.segments = std::max(mine_.segments, list.segments);
    if (!begun_ || !differences(list.set_up, mine_.set_up).empty()) {
        begun_ = list.set_up;
    }
}

// Each tile is read by one rank. Local.
void TileCheckpoint::require_unaltered() const {
    for (auto index = static_cast<std::size_t>(session_.world().rank()); index < sources_.size();
         index += static_cast<std::size_t>(session_.world().size())) {
        const KeptTile& tile = sources_[index];
        static_cast<void>(unaltered(file_of(tile.number), tile.size, tile.checksum));
    }
}

void TileCheckpoint::read(std::int64_t tile, std::span<std::byte> out) const {
    const InputFile input(file_of(tile));
    if (input.size().value != std::ssize(out) || input.read({}, out) != input.size()) {
        throw Failure(fmt::format("{} is {} long, not {}", quotation(file_of(tile).native()),
                                  to_string(input.size()), to_string(Bytes{std::ssize(out)})));
    }
}

void TileCheckpoint::begin() {
    begin_ = now();
    cpu_begin_ = process_cpu_time();
}

void TileCheckpoint::keep(std::int64_t tile, std::span<const std::byte> data) {
    if (has(tile)) {
        return;
    }
    write_flushed(file_of(tile), data);
    mine_.done.push_back({tile, {std::ssize(data)}, checksum(data)});
    ++kept_;
    if (++unlisted_ == options_.every) {
        save();
    }
}

void TileCheckpoint::save() {
    if (unlisted_ == 0) {
        return;
    }
    const Folder folder(folder_);
    folder.flush();
    mine_.spent = earlier_;
    mine_.spent.real = earlier_.real + (now() - begin_);
    mine_.spent.cpu = earlier_.cpu + (process_cpu_time() - cpu_begin_);
    write_list();
    folder.flush();
    unlisted_ = 0;
}

void TileCheckpoint::write_list() const {
    const std::string text = to_text(mine_);
    write_flushed(list_of(session_.world().rank()), std::as_bytes(std::span(text)));
}

void TileCheckpoint::end() {
    comm::agree(session_.world(), [&] { save(); });
    stop_.end();
    double kept = static_cast<double>(kept_);
    kept = session_.world().sum(kept) + static_cast<double>(sources_.size());
    if (kept < static_cast<double>(mine_.tiles)) {
        stopped_ = fmt::format(
            "stopped on request after {:.0f} of {} tiles (kept in {}): go on with --restart", kept,
            mine_.tiles, quotation(folder_.native()));
    }
}

std::string TileCheckpoint::note() const {
    if (!begun_) {
        return {};
    }
    return fmt::format("resumed with {} of {} tiles taken over{}", sources_.size(), mine_.tiles,
                       as_it_was_begun(*begun_, mine_.set_up));
}

std::vector<std::pair<std::string, double>> TileCheckpoint::numbers() const {
    return {{"tiles_taken_over", static_cast<double>(sources_.size())},
            {"segments", mine_.segments}};
}

}  // namespace quartet::bench
