#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/checkpoint/checkpoint_options.hpp"
#include "bench/checkpoint/stop_notice.hpp"
#include "bench/checkpoint/tile_list.hpp"
#include "bench/data/data_options.hpp"
#include "bench/data/tile_folder.hpp"

namespace quartet::bench {

/// Checkpoints of tiles; `help` of --checkpoint says which tiles are kept, and where from.
CheckpointKind tile_checkpoints(std::string_view help, std::vector<Formulation> formulations,
                                std::string why_no_others);

/// Throws UsageError if they contradict other flags: tiles in memory are not kept. Local.
void require_consistent_tiles(const CheckpointOptions& options, const CheckpointKind& kind,
                              const DataOptions& data, const Runs& runs);
/// require_usable() of a folder with lists of tiles; nor may it have tiles without one. Local.
void require_usable_tiles(const CheckpointOptions& options);

/// The list of a job whose data are these files, before there are tiles: it has seed, formulation,
/// set-up, and one checksum of those that the data's manifest has, or "unknown" if it lacks one.
/// The rest of what the job is, the kernel adds. Collective.
TileList tile_list(Session& session, const Variant& variant, const DataOptions& data,
                   const std::vector<TileFile>& files);

/// Keeps tiles of a result in a folder while each rank makes them, and takes over those that
/// earlier processes have kept. A tile is a file, "tile-<number>", flushed before it is listed.
/// Each rank has its own list, which appears complete or not at all. A process may therefore be
/// killed at any moment. Ranks keep tiles without waiting for each other.
class TileCheckpoint {
  public:
    /// `now` says what the job is and how it is run. With --restart reads all lists and tiles;
    /// throws UsageError, on all ranks alike, for another job, what was altered, or a folder that
    /// cannot be used. Collective. Borrows the session.
    TileCheckpoint(Session& session, const CheckpointOptions& options, TileList now);
    TileCheckpoint(const TileCheckpoint&) = delete;
    TileCheckpoint& operator=(const TileCheckpoint&) = delete;

    /// Whether a tile was taken over. Local.
    [[nodiscard]] bool has(std::int64_t tile) const {
        return taken_over_[static_cast<std::size_t>(tile)];
    }
    /// Reads a tile that was taken over and is of that size. Throws Failure. Local.
    void read(std::int64_t tile, std::span<std::byte> out) const;

    /// Before the work: starts the clocks. Local.
    void begin();
    /// Writes a tile, unless it was taken over, and the list after every few tiles. Allocates a
    /// little. Throws Failure. One thread of a rank at a time. Local.
    void keep(std::int64_t tile, std::span<const std::byte> data);
    /// Lists what was kept so far. As keep().
    void save();
    /// Whether any rank was asked to stop. For the thread that calls MPI. Local.
    [[nodiscard]] bool wants_stop() { return stop_.poll(); }
    /// After the work or what was done of it. Throws Failure. Collective.
    void end();

    /// See Case; valid after end().
    [[nodiscard]] const std::optional<std::string>& stopped() const { return stopped_; }
    [[nodiscard]] const EarlierTime& earlier() const { return earlier_; }
    [[nodiscard]] std::string note() const;
    [[nodiscard]] std::vector<std::pair<std::string, double>> numbers() const;

  private:
    [[nodiscard]] std::filesystem::path file_of(std::int64_t tile) const;
    void write_list() const;
    [[nodiscard]] std::filesystem::path list_of(int rank) const;
    void take_over();
    void take_over(const TileList& list);
    void require_unaltered() const;

    Session& session_;
    CheckpointOptions options_;
    std::filesystem::path folder_;
    StopNotice stop_;
    TileList mine_;                  ///< this rank's, with what its file had before
    std::vector<KeptTile> sources_;  ///< what was taken over, of all ranks
    std::vector<bool> taken_over_;   ///< by tile
    EarlierTime earlier_;
    std::optional<SetUp> begun_;  ///< a set-up before that differs, or any
    Seconds begin_;
    Seconds cpu_begin_;
    std::int64_t kept_ = 0;      ///< by this rank, now
    std::int64_t unlisted_ = 0;  ///< of these
    std::optional<std::string> stopped_;
};

}  // namespace quartet::bench
