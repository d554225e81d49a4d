#include "bench/program/program.hpp"
#include "fft/formulations.hpp"

using namespace quartet;

// FFT: one complex transform of N points in interleaved tiles, split over all ranks (the paper's
// VI.D).
int main(int argc, char** argv) {
    bench::Program program(
        {.name = "fft", .summary = "transform a complex vector in interleaved tiles"});
    program.command_line().add_queue();
    fft::Options options;
    fft::add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { fft::plan_cases(session, options); });
}
