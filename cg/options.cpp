#include "cg/options.hpp"

#include <algorithm>
#include <utility>

namespace quartet::cg {

namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 24;
constexpr std::int64_t most_iterations = std::int64_t{1} << 24;

template <typename Value>
using Words = std::vector<std::pair<std::string, Value>>;

const Words<Storage>& storage_words() {
    static const Words<Storage> words{{"full", Storage::full}, {"symmetric", Storage::symmetric}};
    return words;
}

const Words<Algorithm>& algorithm_words() {
    static const Words<Algorithm> words{{"classic", Algorithm::classic},
                                        {"single-reduction", Algorithm::single_reduction}};
    return words;
}

template <typename Value>
std::string_view word_of(const Words<Value>& words, Value value) {
    return std::ranges::find(words, value, &std::pair<std::string, Value>::second)->first;
}

// A comma list of words, each once.
template <typename Value>
std::vector<Value> parse_words(const std::string& text, const Words<Value>& words) {
    std::vector<Value> values;
    for (const std::string& member : bench::parse_list(text)) {
        const auto found = std::ranges::find(words, member, &std::pair<std::string, Value>::first);
        if (found == words.end()) {
            throw UsageError(quotation(member) + " is not one of " + words[0].first + "|" +
                             words[1].first);
        }
        if (std::ranges::find(values, found->second) == values.end()) {
            values.push_back(found->second);
        }
    }
    return values;
}

std::string parse_problem(const std::string& text) {
    if (text == "laplace" || text == "random" || (text.size() > 4 && text.ends_with(".npy"))) {
        return text;
    }
    throw UsageError(quotation(text) + " is none of laplace, random, the path of an .npy file");
}

}  // namespace

std::string_view name(Storage storage) {
    return word_of(storage_words(), storage);
}

std::string_view name(Algorithm algorithm) {
    return word_of(algorithm_words(), algorithm);
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add("--size", "rows and columns of the matrix", "8192",
                     [&options](const std::string& text) {
                         options.size = bench::parse_count(text, 1, largest_size);
                     });
    command_line.add("--iterations", "iterations, however soon it converges", "500",
                     [&options](const std::string& text) {
                         options.iterations =
                             static_cast<int>(bench::parse_count(text, 1, most_iterations));
                     });
    command_line.add(
        "--problem", "laplace|random, or a symmetric positive definite FILE.npy", "laplace",
        [&options](const std::string& text) { options.problem = parse_problem(text); });
    command_line.add("--storage", "full|symmetric, or both: each element, or one of each pair",
                     "full", [&options](const std::string& text) {
                         options.storages = parse_words(text, storage_words());
                     });
    command_line.add("--algorithm", "classic|single-reduction, or both", "classic",
                     [&options](const std::string& text) {
                         options.algorithms = parse_words(text, algorithm_words());
                     });
    bench::add_data_options(command_line, options.data);
    command_line.reserve("--checkpoint");
    command_line.reserve("--every");
    command_line.reserve("--restart");
}

void require_consistent(const Options& options, bench::Switch verify) {
    bench::require_consistent(options.data);
    if (options.data.in_files() && options.from_file()) {
        throw UsageError("--data: the matrix comes from " + quotation(options.problem) +
                         " already: leave one of them out");
    }
    if (options.data.cache != FileCache::warm) {
        throw UsageError("--cache: " + std::string(name(options.data.cache)) +
                         " changes nothing (all files are read before the clock starts): leave it "
                         "out");
    }
    if (options.data.keep == bench::Switch::on && verify == bench::Switch::off) {
        throw UsageError("--keep: the result is written once it is checked: add --verify on");
    }
}

}  // namespace quartet::cg
