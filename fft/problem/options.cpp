#include "fft/problem/options.hpp"

namespace quartet::fft {

std::string_view name(ResultOrder order) {
    return order == ResultOrder::natural ? "natural" : "transposed";
}

std::string_view name(Planning planning) {
    return planning == Planning::patient   ? "patient"
           : planning == Planning::measure ? "measure"
                                           : "estimate";
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add({.name = "--size",
                      .value = "LIST",
                      .help = "points of the transform",
                      .standard = "2^24",
                      .alias = "--sizes"},
                     [&options](const std::string& text) {
                         options.sizes = bench::parse_sizes(text, largest_size);
                     });
    command_line.add(
        {.name = "--tiles",
         .value = "N",
         .help = "number of tiles x[t::N], a divisor of the size [so that a tile fits "
                 "the cache; 1 on one rank where its device has a transform and room for that]"},
        [&options](const std::string& text) {
            options.tiles = bench::parse_size(text, largest_size);
        });
    command_line.add(
        {.name = "--order",
         .help = "order of the result; natural takes one exchange more",
         .standard = "transposed"},
        options.order,
        std::vector<std::pair<std::string, ResultOrder>>{{"transposed", ResultOrder::transposed},
                                                         {"natural", ResultOrder::natural}});
    command_line.add(
        {.name = "--plan", .help = "how the library formulation plans", .standard = "estimate"},
        options.planning,
        std::vector<std::pair<std::string, Planning>>{{"estimate", Planning::estimate},
                                                      {"measure", Planning::measure},
                                                      {"patient", Planning::patient}});
    command_line.add({.name = "--wisdom",
                      .value = "FILE|none",
                      .help = "unless --plan estimate: where FFTW's plans are kept",
                      .standard = "none"},
                     [&options](const std::string& text) {
                         options.wisdom.reset();
                         if (text != "none") {
                             options.wisdom = bench::parse_path(text);
                         }
                     });
    command_line.add(
        {2, "--size 64k:16M --formulation native,library", "nine sizes, ours beside FFTW"});
    command_line.add({2, "--size 1e6 --runs auto --json fft.json",
                      "a million points, as many runs as the interval needs"});
    command_line.add({4, "--size 2^24 --tiles 64 --order natural --transport mpi",
                      "in natural order, over MPI alone"});
    bench::add_data_options(command_line, options.data);
}

}  // namespace quartet::fft
