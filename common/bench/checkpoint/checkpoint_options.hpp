#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/flags/command_line.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// The checkpoint from which to go on.
enum class Restart { none, latest, previous };

/// The flags of checkpoint and restart.
struct CheckpointOptions {
    std::optional<std::filesystem::path> folder{};  ///< nothing: no checkpoints
    std::int64_t every = 100;                       ///< units between two of them
    Restart restart = Restart::none;

    Switch every_given = Switch::off;

    [[nodiscard]] bool wanted() const { return folder.has_value(); }
};

/// The checkpoints of a kernel: their units and words.
struct CheckpointKind {
    std::string units;                      ///< "iterations", "tiles"
    std::string help;                       ///< of --checkpoint
    std::string prefix;                     ///< of what is in the folder
    Restart oldest;                         ///< that --restart can name
    std::vector<Formulation> formulations;  ///< that have any
    std::string why_no_others;              ///< "it is one call"
};

/// Adds --checkpoint, --every and --restart; `options` outlives the command line.
void add_checkpoint_options(CommandLine& command_line, CheckpointOptions& options,
                            const CheckpointKind& kind);

/// Throws UsageError if they contradict each other, or how often a case runs.
void require_consistent(const CheckpointOptions& options, const CheckpointKind& kind,
                        const Runs& runs);

/// Throws UsageError for a formulation that has none. Local.
void require_formulation(const CheckpointOptions& options, const CheckpointKind& kind,
                         const Variant& variant);

/// Checks the folder, which has `there` checkpoints. With --restart it must have the one to go on
/// from; without, it must have nothing that would be replaced. Throws UsageError. Local.
void require_usable(const CheckpointOptions& options, std::size_t there);

/// Names the folder among the files that are used.
void add_used(const CheckpointOptions& options, const CheckpointKind& kind, UsedFiles& files);

/// A case with checkpoints runs once, and has a name of its own.
void plan_checkpoints(Session& session, const CheckpointOptions& options,
                      const CheckpointKind& kind, PlannedCase& planned);

/// Throws UsageError if the session's plan has more cases than one; `choices` says of what.
void require_one_case(const Session& session, const CheckpointOptions& options,
                      std::string_view choices);

}  // namespace quartet::bench
