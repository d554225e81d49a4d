#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// Reads sizes, tiles or blocks of a user's files in a folder, and checks that all of them agree.
/// Empty if none of the names is of the kernel's data. Throws UsageError or NpyError.
using ReadOwn = std::function<std::vector<std::int64_t>(const std::filesystem::path& folder)>;

/// Looks into the folder of `options` for a user's own data: files without a manifest, or with one
/// that names no seed. The first rank reads; the others take its word. Empty if the data are
/// made by the suite. The record then says that the seed is not the data's. Throws UsageError on
/// all ranks alike. Collective.
std::vector<std::int64_t> read_own(Session& session, const DataOptions& options,
                                   const ReadOwn& read);

/// Throws UsageError unless a flag that was given says what the user's files say.
void require_own(std::string_view flag, std::int64_t given, std::int64_t found,
                 const DataOptions& options);

}  // namespace quartet::bench
