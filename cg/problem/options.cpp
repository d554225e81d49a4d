#include "cg/problem/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quartet::cg {

namespace {

constexpr std::int64_t most_iterations = std::int64_t{1} << 24;

/// `words` are in the order of the enumeration.
template <typename Value>
const std::vector<std::string>& names();
template <>
const std::vector<std::string>& names<Storage>() {
    static const std::vector<std::string> words{"full", "symmetric"};
    return words;
}
template <>
const std::vector<std::string>& names<Algorithm>() {
    static const std::vector<std::string> words{"classic", "single-reduction"};
    return words;
}

// A comma list of names, each once.
template <typename Value>
std::vector<Value> parse_names(const std::string& text) {
    std::vector<Value> values;
    for (const std::string& member : bench::parse_list(text)) {
        const auto found = std::ranges::find(names<Value>(), member);
        if (found == names<Value>().end()) {
            throw UsageError(not_one_of(member, names<Value>()));
        }
        const auto value = static_cast<Value>(found - names<Value>().begin());
        if (std::ranges::find(values, value) == values.end()) {
            values.push_back(value);
        }
    }
    return values;
}

}  // namespace

std::string_view name(Storage storage) {
    return names<Storage>()[static_cast<std::size_t>(storage)];
}

std::string_view name(Algorithm algorithm) {
    return names<Algorithm>()[static_cast<std::size_t>(algorithm)];
}

const bench::CheckpointKind& checkpoint_kind() {
    static const bench::CheckpointKind kind{
        .units = "iterations",
        .help = "save the iterations there, also on SIGUSR1 or SIGTERM; one run, no warm-up",
        .prefix = "iteration-",
        .oldest = Restart::previous,
        .formulations = {bench::Formulation::native, bench::Formulation::dataflow},
        .why_no_others = "it is what plain MPI and BLAS give"};
    return kind;
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
        [&options](const std::string& text) { options.storages = parse_names<Storage>(text); });
    command_line.add(
        {.name = "--algorithm",
         .value = "LIST",
         .help = "algorithms, of classic, single-reduction (one joint sum)",
         .standard = "classic"},
        [&options](const std::string& text) { options.algorithms = parse_names<Algorithm>(text); });
    command_line.add({2, "--size 1k:4k --iterations 50", "three sizes, few iterations"});
    command_line.add({2, "--size 4k --storage full,symmetric --json cg.json",
                      "what storing half of the matrix gains"});
    command_line.add({3, "--size 4k --formulation native,dataflow,library --iterations 50",
                      "the best we know, the paper's and the BLAS's"});
    bench::add_data_options(command_line, options.data);
    bench::add_checkpoint_options(command_line, options.checkpoint, checkpoint_kind());
}

void require_consistent(const Options& options, const bench::CommonOptions& common) {
    bench::require_consistent(options.data, options.sizes.size());
    bench::require_consistent(options.checkpoint, checkpoint_kind(), common.runs);
    if (options.data.cache != FileCache::warm) {
        throw UsageError("--cache: " + std::string(name(options.data.cache)) +
                         " changes nothing (all files are read before the clock starts): leave it "
                         "out");
    }
    if (options.data.keep == bench::Switch::on && common.verify == bench::Switch::off) {
        throw UsageError("--keep: the result is written once it is checked: add --verify on");
    }
}

}  // namespace quartet::cg
