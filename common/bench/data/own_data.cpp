#include "bench/data/own_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "comm/mpi/agree.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

namespace quartet::bench {

namespace {

std::vector<std::int64_t> own_in(const std::filesystem::path& folder, const ReadOwn& read) {
    if (!is_there(folder) || !is_folder(folder)) {
        return {};
    }
    const bool has_manifest = is_there(folder / "manifest.json");
    if (has_manifest && !read_manifest(folder).is_own()) {
        return {};
    }
    auto found = read(folder);
    if (has_manifest && found.empty()) {
        throw UsageError(fmt::format("{} has a manifest, but no files: name another folder",
                                     quotation(folder.native())));
    }
    return found;
}

}  // namespace

std::vector<std::int64_t> read_own(Session& session, const DataOptions& options,
                                   const ReadOwn& read) {
    const comm::Communicator& world = session.world();
    if (!options.in_files() || options.generate == Switch::on) {
        return {};
    }
    std::string text;
    comm::agree<UsageError>(world, [&] {
        if (world.rank() == 0) {
            text = fmt::format("{}", fmt::join(own_in(*options.folder, read), " "));
        }
    });
    std::istringstream numbers(world.broadcast(text, 0));
    std::vector<std::int64_t> found;
    for (std::int64_t number = 0; numbers >> number;) {
        found.push_back(number);
    }
    if (!found.empty()) {
        session.resolve("seed", fmt::format("{} (of the check alone)", session.options().seed));
    }
    return found;
}

void require_own(std::string_view flag, std::int64_t given, std::int64_t found,
                 const DataOptions& options) {
    if (given != found) {
        throw UsageError(fmt::format("{}: {} is not what the files in {} have ({}): leave it out",
                                     flag, given, quotation(options.folder->native()), found));
    }
}

}  // namespace quartet::bench
