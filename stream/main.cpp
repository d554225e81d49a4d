#include "bench/program/program.hpp"
#include "stream/plan.hpp"

using namespace quartet;

// STREAM: push a vector to another rank, which adds it to its own (the paper's IV and VI.A).
int main(int argc, char** argv) {
    bench::Program program(
        {.name = "stream", .summary = "push a vector to another rank and add", .least_ranks = 2});
    stream::Options options;
    program.command_line().add_queue();
    stream::add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { stream::plan_cases(session, options); });
}
