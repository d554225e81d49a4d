#include "bench/program/program.hpp"
#include "stream/plan.hpp"

using namespace quartet;

namespace {

void add_options(bench::CommandLine& command_line, stream::Options& options) {
    command_line.add_queue();
    command_line.add({.name = "--sizes",
                      .value = "LIST",
                      .help = "size of a vector; a number alone counts MiB, 512k is 512 KiB",
                      .standard = "2:128",
                      .alias = "--size"},
                     bench::into(options.sizes, stream::parse_sizes));
    command_line.add(
        {.name = "--pushes", .value = "N", .help = "pushes in one run [100; 10 with --pairs]"},
        [&options](const std::string& text) {
            options.pushes = static_cast<int>(bench::parse_count(text, 1, 1 << 20));
        });
    command_line.add(
        {.name = "--pairs",
         .help =
             "push between each ordered pair of up to 16 ranks; 16 MiB unless --sizes is given"},
        options.pairs);
    command_line.add({2, "--transport mpi,shm", "the published sizes over two transports"});
    command_line.add({2, "--sizes 64k:16M --runs auto --json stream.json",
                      "from the caches to memory, as many runs as the interval needs"});
    command_line.add({4, "--pairs --filter pair:0-", "every link from rank 0"});
}

}  // namespace

// STREAM: push a vector to another rank, which adds it to its own (the paper's IV and VI.A).
int main(int argc, char** argv) {
    bench::Program program(
        {.name = "stream", .summary = "push a vector to another rank and add", .least_ranks = 2});
    stream::Options options;
    add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { stream::plan_cases(session, options); });
}
