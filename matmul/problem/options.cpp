#include "matmul/problem/options.hpp"

#include <fmt/format.h>

#include "bench/checkpoint/tile_checkpoint.hpp"

namespace quartet::matmul {

const bench::CheckpointKind& checkpoint_kind() {
    static const bench::CheckpointKind kind = bench::tile_checkpoints(
        "with --data: keep tiles of C that are done there",
        {bench::Formulation::native, bench::Formulation::dataflow}, "it is one call");
    return kind;
}

namespace {

std::vector<std::pair<std::string, device::Math>> math_words() {
    std::vector<std::pair<std::string, device::Math>> words;
    for (const auto math : {device::Math::fp32, device::Math::tf32, device::Math::bf16x9}) {
        words.emplace_back(device::name(math), math);
    }
    return words;
}

LibraryDistribution parse_distribution(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char letter : text) {
        if (letter == 'x') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    if (parts.size() != 3) {
        throw UsageError(fmt::format(
            "{} is not three numbers with an x between: rows and columns of ranks, size "
            "of a block",
            quotation(text)));
    }
    const auto ranks = [](const std::string& part) {
        return static_cast<int>(bench::parse_count(part, 1, 1 << 20));
    };
    return {ranks(parts[0]), ranks(parts[1]), bench::parse_size(parts[2], largest_edge)};
}

}  // namespace

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add({.name = "--size",
                      .value = "LIST",
                      .help = "rows and columns of the matrices",
                      .standard = "8192",
                      .alias = "--sizes"},
                     [&options](const std::string& text) {
                         options.sizes = bench::parse_sizes(text, largest_edge);
                         options.sizes_given = bench::Switch::on;
                     });
    command_line.add({.name = "--tile",
                      .value = "N",
                      .help = "rows and columns of a tile [1024; on a GPU by its memory]"},
                     [&options](const std::string& text) {
                         options.tile = bench::parse_size(text, largest_edge);
                     });
    command_line.add(
        {.name = "--math", .help = "on a GPU: arithmetic of the products", .standard = "fp32"},
        options.math, math_words());
    command_line.add({.name = "--reducers",
                      .value = "N",
                      .help = "with dataflow: ranks that add [2 of 4 ranks or more, else 1]"},
                     [&options](const std::string& text) {
                         options.reducers = static_cast<int>(bench::parse_count(text, 1, 1 << 20));
                     });
    command_line.add({.name = "--schedule",
                      .help = "with dataflow: how workers share the products",
                      .standard = "static"},
                     options.schedule,
                     std::vector<std::pair<std::string, WorkSchedule>>{
                         {"static", WorkSchedule::fixed}, {"dynamic", WorkSchedule::dynamic}});
    command_line.add(
        {.name = "--distribution",
         .value = "RxCxB",
         .help = "with library: R x C ranks and blocks of B [the fastest of those tried]"},
        [&options](const std::string& text) { options.distribution = parse_distribution(text); });
    command_line.add({2, "--size 1k:4k --runs auto", "three sizes, as many runs as each needs"});
    command_line.add({2, "--size 4k --formulation native,library --json matmul.json",
                      "the best we know, and ScaLAPACK"});
    command_line.add({2, "--size 4k --data tiles --generate --dry-run",
                      "what a product of matrices in files would take"});
    command_line.add_queue();
    command_line.add_reducer_device();
    command_line.add_lookahead();
    bench::add_data_options(command_line, options.data);
    bench::add_checkpoint_options(command_line, options.checkpoint, checkpoint_kind());
}

}  // namespace quartet::matmul
