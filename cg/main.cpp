#include "bench/program/program.hpp"
#include "cg/case.hpp"
#include "cg/problem.hpp"

using namespace quartet;

// CG: solve a dense symmetric system by conjugate gradients, a fixed number of iterations (the
// paper's VI.C).
int main(int argc, char** argv) {
    bench::Program program(
        {.name = "cg", .summary = "solve a dense symmetric system by conjugate gradients"});
    program.command_line().add_queue();
    cg::Options options;
    cg::add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { cg::plan_cases(session, options); });
}
