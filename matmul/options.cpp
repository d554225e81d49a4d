#include "matmul/options.hpp"

namespace quartet::matmul {

namespace {

std::vector<std::pair<std::string, device::Math>> math_words() {
    std::vector<std::pair<std::string, device::Math>> words;
    for (const auto math : {device::Math::fp32, device::Math::tf32, device::Math::bf16x9}) {
        words.emplace_back(device::name(math), math);
    }
    return words;
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
    command_line.add({2, "--size 1k:4k --runs auto", "three sizes, as many runs as each needs"});
    command_line.add({2, "--size 4k --formulation native,library --json matmul.json",
                      "the best we know, and ScaLAPACK"});
    command_line.add({2, "--size 4k --data tiles --generate --dry-run",
                      "what a product of matrices in files would take"});
    command_line.add_queue();
    bench::add_data_options(command_line, options.data);
}

}  // namespace quartet::matmul
