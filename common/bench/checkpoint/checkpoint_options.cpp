#include "bench/checkpoint/checkpoint_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace quartet::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_units = std::int64_t{1} << 24;

}  // namespace

void add_checkpoint_options(CommandLine& command_line, CheckpointOptions& options,
                            const CheckpointKind& kind) {
    const auto group = FlagGroup::checkpoints;
    command_line.add({.name = "--checkpoint", .group = group, .value = "DIR", .help = kind.help},
                     into(options.folder, parse_path));
    command_line.add({.name = "--every",
                      .group = group,
                      .value = "N",
                      .help = fmt::format("with --checkpoint: {} from one to the next", kind.units),
                      .standard = std::to_string(options.every)},
                     [&options](const std::string& text) {
                         options.every = parse_count(text, 1, most_units);
                         options.every_given = Switch::on;
                     });
    std::vector<std::string> which{"latest"};
    std::string help = "with --checkpoint: go on from the latest one";
    if (kind.oldest == Restart::previous) {
        which.emplace_back("previous");
        help += ", or the 'previous'";
    }
    command_line.add_with_optional_value(
        {.name = "--restart", .group = group, .value = "[WHICH]", .help = help}, which.front(),
        [&options, which](const std::string& text) {
            if (std::ranges::find(which, text) == which.end()) {
                throw UsageError(not_one_of(text, which));
            }
            options.restart = text == which.front() ? Restart::latest : Restart::previous;
        });
}

void require_consistent(const CheckpointOptions& options, const CheckpointKind& kind,
                        const Runs& runs) {
    if (options.wanted()) {
        if (!runs.count) {
            throw UsageError(
                "--runs auto: with --checkpoint a case runs once (a second run would replace its "
                "checkpoints): leave out --runs");
        }
        return;
    }
    if (options.restart != Restart::none) {
        throw UsageError("--restart: there are no checkpoints: add --checkpoint DIR");
    }
    if (options.every_given == Switch::on) {
        throw UsageError(
            fmt::format("--every {} {}: there are no checkpoints: add --checkpoint DIR",
                        options.every, kind.units));
    }
}

void require_formulation(const CheckpointOptions& options, const CheckpointKind& kind,
                         const Variant& variant) {
    if (!options.wanted() ||
        std::ranges::find(kind.formulations, variant.formulation) != kind.formulations.end()) {
        return;
    }
    std::vector<std::string> others;
    std::ranges::transform(kind.formulations, std::back_inserter(others),
                           [](Formulation other) { return std::string(name(other)); });
    throw UsageError(
        fmt::format("--checkpoint: formulation {} has none ({}): ask for --formulation {} alone",
                    name(variant.formulation), kind.why_no_others, fmt::join(others, " or ")));
}

void require_usable(const CheckpointOptions& options, std::size_t there) {
    const std::string folder = quotation(options.folder->native());
    std::error_code ignored;
    if (fs::exists(*options.folder, ignored) && !fs::is_directory(*options.folder, ignored)) {
        throw UsageError("--checkpoint: " + folder + " is not a folder: name another one");
    }
    if (options.restart == Restart::none && there > 0) {
        throw UsageError("--checkpoint: " + folder +
                         " has checkpoints (they would be replaced): go on from them with "
                         "--restart, or name another folder");
    }
    if (options.restart != Restart::none && there == 0) {
        throw UsageError("--restart: " + folder +
                         " has no checkpoint: leave out --restart to begin");
    }
    if (options.restart == Restart::previous && there == 1) {
        throw UsageError("--restart: " + folder +
                         " has one checkpoint, and none before it: name the latest, or begin anew "
                         "in another folder");
    }
}

void add_used(const CheckpointOptions& options, const CheckpointKind& kind, UsedFiles& files) {
    if (options.wanted()) {
        files.add("--checkpoint", FileUse::changes_folder, *options.folder, kind.prefix);
    }
}

void plan_checkpoints(Session& session, const CheckpointOptions& options,
                      const CheckpointKind& kind, PlannedCase& planned) {
    if (!options.wanted()) {
        return;
    }
    planned.repetition = Repetition::once;
    planned.name.factors.emplace_back("every", std::to_string(options.every));
    planned.plan_note +=
        fmt::format("{}a checkpoint every {} {}", planned.plan_note.empty() ? "" : "; ",
                    options.every, kind.units);
    session.resolve("runs", "1");
    session.resolve("warmup", "0");
}

void require_one_case(const Session& session, const CheckpointOptions& options,
                      std::string_view choices) {
    if (options.wanted() && session.plan().size() != 1) {
        throw UsageError(
            fmt::format("--checkpoint: {} cases (one at a time has checkpoints): name one {}",
                        session.plan().size(), choices));
    }
}

}  // namespace quartet::bench
