#include "bench/program/program.hpp"
#include "matmul/options.hpp"
#include "matmul/plan.hpp"

using namespace quartet;

// MATMUL: C = A B in float32, tile by tile, from memory or from files (the paper's VI.B).
int main(int argc, char** argv) {
    bench::Program program(
        {.name = "matmul", .summary = "multiply matrices that are stored as tiles"});
    matmul::Options options;
    matmul::add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { matmul::plan_cases(session, options); });
}
