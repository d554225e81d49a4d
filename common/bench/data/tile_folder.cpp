#include "bench/data/tile_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <sstream>

#include "comm/mpi/communicator.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

namespace {

using Checksums = std::map<std::string, std::string>;

std::int64_t elements_of(const TileFile& file) {
    std::int64_t count = 1;
    for (const std::int64_t extent : file.shape) {
        count *= extent;
    }
    return count;
}

// Whether all ranks see a file that rank 0 creates in the folder. Collective.
bool is_seen_by_all(const std::filesystem::path& folder, const comm::Communicator& world,
                    const comm::Topology& topology) {
    if (topology.nodes() == 1) {
        return true;
    }
    const std::string token = world.broadcast(
        fmt::format(".visible-{:x}", static_cast<std::int64_t>(now().value * 1e9)), 0);
    // Where rank 0 may not write, the file does not appear, and each node handles its own folder.
    static_cast<void>(comm::first_problem(world, [&] {
        if (world.rank() == 0) {
            OutputFile(folder / token).commit();
        }
    }));
    std::error_code ignored;
    const bool all_see = world.all(std::filesystem::exists(folder / token, ignored));
    if (world.rank() == 0) {
        std::filesystem::remove(folder / token, ignored);
    }
    return all_see;
}

// The checksums of all ranks, on every rank. Collective.
Checksums joined(const Checksums& mine, const comm::Communicator& comm) {
    std::string lines;
    for (const auto& [file, sum] : mine) {
        lines += fmt::format("{} {}\n", sum, file);
    }
    Checksums all;
    for (const std::string& text : comm.gather(lines)) {
        std::istringstream input(text);
        std::string sum;
        for (std::string file; input >> sum && std::getline(input >> std::ws, file);) {
            all[file] = sum;
        }
    }
    return all;
}

// The checksum of a file; nothing if it does not exist or has another shape.
template <typename T>
std::optional<std::string> checksum_in(const std::filesystem::path& path, const TileFile& file,
                                       std::span<T> elements) {
    if (!is_there(path)) {
        return std::nullopt;
    }
    try {
        read_npy<T>(path, file.shape, elements);
    } catch (const NpyError&) {  // damaged or of another shape: it will be made again
        return std::nullopt;
    }
    return checksum_text(std::as_bytes(elements));
}

}  // namespace

void check_tile_count(std::int64_t count, std::string_view what, std::string_view remedy) {
    if (count > most_tiles) {
        throw UsageError(fmt::format("{} makes {} tiles ({} are the most): {}", what, count,
                                     most_tiles, remedy));
    }
}

template <typename T>
TileFolder<T>::TileFolder(std::filesystem::path folder, Manifest wanted,
                          std::vector<TileFile> files)
    : folder_(std::move(folder)), wanted_(std::move(wanted)), files_(std::move(files)) {
    wanted_.dtype = descriptor(element_type<T>());
}

template <typename T>
Bytes TileFolder<T>::size() const {
    Bytes all;
    for (const TileFile& file : files_) {
        all = all + bytes_of<T>(elements_of(file));
    }
    return all;
}

template <typename T>
bool TileFolder<T>::has_manifest() const {
    return is_there(folder_ / "manifest.json");
}

template <typename T>
Manifest TileFolder<T>::matching_manifest() const {
    Manifest manifest = read_manifest(folder_);
    require_same_data(manifest, wanted_, folder_);
    return manifest;
}

template <typename T>
void TileFolder<T>::require_usable(Switch generate) const {
    if (is_there(folder_) && !std::filesystem::is_directory(folder_)) {
        throw UsageError(
            fmt::format("{} is not a folder: name another one", quotation(folder_.native())));
    }
    if (has_manifest()) {
        static_cast<void>(matching_manifest());
    }
    const bool there = generate == Switch::on;
    const auto first = std::ranges::find_if(
        files_, [&](const TileFile& file) { return is_there(path_of(file.name)) == there; });
    if (there && !has_manifest() && first != files_.end()) {
        throw UsageError(fmt::format(
            "{} has {}, which --generate would replace (there is no manifest.json that says that "
            "it was generated): name another folder",
            quotation(folder_.native()), first->name));
    }
    if (!there && (!has_manifest() || first != files_.end())) {
        throw UsageError(fmt::format(
            "{} has no {}: make the data with --generate, or name the folder that has it",
            quotation(folder_.native()), has_manifest() ? first->name : "manifest.json"));
    }
}

template <typename T>
void TileFolder<T>::generate(const comm::Communicator& world, const comm::Topology& topology,
                             const Fill& fill) const {
    comm::agree(world, [&] { make_folder(folder_); });
    const comm::Communicator& sharing =
        is_seen_by_all(folder_, world, topology) ? world : topology.node();
    Manifest manifest = wanted_;
    comm::agree<UsageError>(world, [&] {
        if (has_manifest()) {
            manifest = matching_manifest();
        }
    });
    const auto write_it = [&] {
        if (sharing.rank() == 0) {
            write_manifest(folder_, manifest);
        }
    };
    comm::agree(world, write_it);  // so that after an interruption the folder says what it holds
    Checksums made;
    comm::agree(world, [&] { made = make_missing(manifest, sharing, fill); });
    manifest.checksums = joined(made, sharing);
    comm::agree(world, write_it);
}

template <typename T>
void TileFolder<T>::for_my_files(const comm::Communicator& sharers, const Fill& use) const {
    std::int64_t most = 0;
    for (const TileFile& file : files_) {
        most = std::max(most, elements_of(file));
    }
    std::vector<T> buffer(static_cast<std::size_t>(most));
    for (auto index = static_cast<std::size_t>(sharers.rank()); index < files_.size();
         index += static_cast<std::size_t>(sharers.size())) {
        const TileFile& file = files_[index];
        use(file, std::span(buffer).first(static_cast<std::size_t>(elements_of(file))));
    }
}

template <typename T>
Checksums TileFolder<T>::make_missing(const Manifest& manifest, const comm::Communicator& sharers,
                                      const Fill& fill) const {
    Checksums made;
    for_my_files(sharers, [&](const TileFile& file, std::span<T> elements) {
        const auto recorded = manifest.checksums.find(file.name);
        auto sum = checksum_in<T>(path_of(file.name), file, elements);
        if (!sum || (recorded != manifest.checksums.end() && recorded->second != *sum)) {
            fill(file, elements);
            write_npy<T>(path_of(file.name), file.shape, elements);
            sum = checksum_text(std::as_bytes(elements));
        }
        made[file.name] = *sum;
    });
    return made;
}

template <typename T>
void TileFolder<T>::verify(const comm::Communicator& world, const comm::Topology& topology) const {
    const comm::Communicator& sharing =
        is_seen_by_all(folder_, world, topology) ? world : topology.node();
    comm::agree<UsageError>(world, [&] { require_sound(sharing); });
}

template <typename T>
void TileFolder<T>::require_sound(const comm::Communicator& sharers) const {
    constexpr std::string_view remedy = "make it again with --generate";
    const Manifest manifest = matching_manifest();
    for_my_files(sharers, [&](const TileFile& file, std::span<T> elements) {
        read_npy<T>(path_of(file.name), file.shape, elements);
        const auto recorded = manifest.checksums.find(file.name);
        if (recorded == manifest.checksums.end()) {
            throw Failure(fmt::format("{} has no checksum of {} (making it was interrupted): {}",
                                      quotation(folder_.native()), file.name, remedy));
        }
        if (checksum_text(std::as_bytes(elements)) != recorded->second) {
            throw Failure(fmt::format("{} is not what the manifest says (its checksum differs): {}",
                                      quotation(path_of(file.name).native()), remedy));
        }
    });
}

template class TileFolder<float>;
template class TileFolder<double>;
template class TileFolder<std::complex<double>>;

}  // namespace quartet::bench
