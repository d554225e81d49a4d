#include "cg/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quartet::cg {

namespace {

constexpr std::int64_t most_iterations = std::int64_t{1} << 24;

// In the order of the enumeration.
const std::vector<std::string>& storage_names() {
    static const std::vector<std::string> words{"full", "symmetric"};
    return words;
}

// A comma list of names, each once.
std::vector<Storage> parse_storages(const std::string& text) {
    std::vector<Storage> values;
    for (const std::string& member : bench::parse_list(text)) {
        const auto found = std::ranges::find(storage_names(), member);
        if (found == storage_names().end()) {
            throw UsageError(not_one_of(member, storage_names()));
        }
        const auto value = static_cast<Storage>(found - storage_names().begin());
        if (std::ranges::find(values, value) == values.end()) {
            values.push_back(value);
        }
    }
    return values;
}

void add_checkpoint_options(bench::CommandLine& command_line, CheckpointOptions& options) {
    const auto group = bench::FlagGroup::checkpoints;
    command_line.add({.name = "--checkpoint",
                      .group = group,
                      .value = "DIR",
                      .help = "save the iterations there, also on SIGUSR1 or SIGTERM; one run, no "
                              "warm-up"},
                     bench::into(options.folder, bench::parse_path));
    command_line.add({.name = "--every",
                      .group = group,
                      .value = "N",
                      .help = "with --checkpoint: iterations from one to the next",
                      .standard = std::to_string(options.every)},
                     [&options](const std::string& text) {
                         options.every = bench::parse_count(text, 1, most_iterations);
                         options.every_given = bench::Switch::on;
                     });
    command_line.add({.name = "--restart",
                      .group = group,
                      .help = "with --checkpoint: go on from it, with the same number of ranks"},
                     options.restart);
}

}  // namespace

std::string_view name(Storage storage) {
    return storage_names()[static_cast<std::size_t>(storage)];
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add({.name = "--size",
                      .value = "LIST",
                      .help = "rows and columns of the matrix",
                      .standard = "8192",
                      .alias = "--sizes"},
                     [&options](const std::string& text) {
                         options.sizes = bench::parse_sizes(text, largest_size);
                     });
    command_line.add({.name = "--iterations",
                      .value = "N",
                      .help = "number of iterations, whether or not it converges sooner",
                      .standard = "500"},
                     [&options](const std::string& text) {
                         options.iterations =
                             static_cast<int>(bench::parse_count(text, 1, most_iterations));
                     });
    command_line.add({.name = "--problem", .help = "the matrix", .standard = "laplace"},
                     options.problem,
                     std::vector<std::pair<std::string, std::string>>{{"laplace", "laplace"},
                                                                      {"random", "random"}});
    command_line.add(
        {.name = "--storage",
         .value = "LIST",
         .help = "what is stored, of full, symmetric (one element of each pair)",
         .standard = "full"},
        [&options](const std::string& text) { options.storages = parse_storages(text); });
    command_line.add({2, "--size 1k:4k --iterations 50", "three sizes, few iterations"});
    command_line.add({2, "--size 4k --storage full,symmetric --json cg.json",
                      "what storing half of the matrix gains"});
    command_line.add({3, "--size 4k --formulation native,dataflow,library --iterations 50",
                      "the best we know, the paper's and the BLAS's"});
    bench::add_data_options(command_line, options.data);
    add_checkpoint_options(command_line, options.checkpoint);
}

void require_consistent(const Options& options, const bench::CommonOptions& common) {
    bench::require_consistent(options.data, options.sizes.size());
    const CheckpointOptions& checkpoint = options.checkpoint;
    if (checkpoint.wanted() && !common.runs.count) {
        throw UsageError(
            "--runs auto: with --checkpoint a case runs once (a second run would replace its "
            "checkpoint): leave out --runs");
    }
    for (const auto& [flag, given] : {std::pair("--restart", checkpoint.restart),
                                      std::pair("--every", checkpoint.every_given)}) {
        if (!checkpoint.wanted() && given == bench::Switch::on) {
            throw UsageError(
                fmt::format("{}: there are no checkpoints: add --checkpoint DIR", flag));
        }
    }
    if (options.data.cache != FileCache::warm) {
        throw UsageError("--cache: " + std::string(name(options.data.cache)) +
                         " changes nothing (all files are read before the clock starts): leave it "
                         "out");
    }
    if (options.data.keep == bench::Switch::on && common.verify == bench::Switch::off) {
        throw UsageError("--keep: the result is written once it is checked: add --verify on");
    }
}

Range Problem::rows(const comm::Roles& roles, int rank) const {
    return roles.of(rank) == comm::Role::worker
               ? block_range(size, roles.workers(), roles.index_of(rank))
               : Range{};
}

bench::Work Problem::work(int workers) const {
    const auto n = static_cast<double>(size);
    const std::int64_t bytes_an_element = storage == Storage::full ? 8 : 4;
    bench::Work work;
    work.unit = bench::RateUnit::gflops;
    work.flops = {iterations * 2 * n * n};
    work.bytes = iterations * Bytes{bytes_an_element * size * size};
    work.workers = workers;
    work.counters = {{"steps", iterations}};
    return work;
}

comm::Roles roles_of(bench::Formulation formulation, int ranks) {
    return formulation == bench::Formulation::dataflow ? comm::Roles::with_reducers(ranks, 1)
                                                       : comm::Roles::all_workers(ranks);
}

}  // namespace quartet::cg
