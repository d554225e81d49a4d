#include "bench/program/program.hpp"
#include "matmul/plan.hpp"

using namespace quartet;

namespace {

void add_options(bench::CommandLine& command_line, matmul::Options& options) {
    const auto math = [](device::Math value) {
        return std::pair(std::string(device::name(value)), value);
    };
    command_line.add({.name = "--size",
                      .value = "LIST",
                      .help = "rows and columns of the matrices",
                      .standard = "8192",
                      .alias = "--sizes"},
                     [&options](const std::string& text) {
                         options.sizes = bench::parse_sizes(text, matmul::largest_edge);
                     });
    command_line.add({.name = "--tile",
                      .value = "N",
                      .help = "rows and columns of a tile [to 1024, two or more for each rank; on "
                              "a GPU by its memory]"},
                     [&options](const std::string& text) {
                         options.tile = bench::parse_size(text, matmul::largest_edge);
                     });
    command_line.add(
        {.name = "--math", .help = "on a GPU: arithmetic of the products", .standard = "fp32"},
        options.math,
        {math(device::Math::fp32), math(device::Math::tf32), math(device::Math::bf16x9)});
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

}  // namespace

// MATMUL: C = A B in float32, tile by tile, from memory or from files (the paper's VI.B).
int main(int argc, char** argv) {
    bench::Program program(
        {.name = "matmul", .summary = "multiply matrices that are stored as tiles"});
    matmul::Options options;
    add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { matmul::plan_cases(session, options); });
}
