#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bench/checkpoint/set_up.hpp"
#include "bench/session/case.hpp"

namespace quartet::bench {

/// A complete tile in its own file.
struct KeptTile {
    std::int64_t number = 0;
    Bytes size;
    std::uint64_t checksum = 0;  ///< of all its bytes
};

/// Which tiles of a job one rank has done: "tiles-<rank>.json" beside them.
struct TileList {
    static constexpr int schema_version = 1;

    /// To go on, these must be the same; as a user would say them: "--size": "8192".
    std::map<std::string, std::string> job;
    std::int64_t tiles = 1;  ///< of the whole job
    SetUp set_up;            ///< what may differ, but perhaps not with the same bits
    int segments = 0;        ///< processes that have worked on it, one after another
    EarlierTime spent;
    std::vector<KeptTile> done;  ///< each once
};

/// Sealed JSON of the list.
std::string to_text(const TileList& list);

/// Throws Failure in words that follow its file's name, as read_sealed() does.
TileList read_tile_list(const std::string& text);

/// Throws UsageError that names `folder` and the first thing in which `found` is of another job.
void require_same_job(const TileList& found, const TileList& wanted, const std::string& folder);

}  // namespace quartet::bench
