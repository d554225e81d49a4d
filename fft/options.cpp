#include "fft/options.hpp"

namespace quartet::fft {

std::string_view name(ResultOrder order) {
    return order == ResultOrder::natural ? "natural" : "transposed";
}

std::string_view name(Planning planning) {
    return planning == Planning::measure ? "measure" : "estimate";
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add("--size", "points of the transform: N or 2^k", "2^24",
                     [&options](const std::string& text) {
                         options.size = bench::parse_count(text, 1, largest_size);
                     });
    command_line.add("--tiles", "tiles x[t::T] that the points are dealt to; a divisor of the size",
                     "as fit the cache; 1 on one GPU with room for it",
                     [&options](const std::string& text) {
                         options.tiles = bench::parse_count(text, 1, largest_size);
                     });
    command_line.add(
        "--order", "of the result; natural takes one exchange more", "transposed", options.order,
        std::vector<std::pair<std::string, ResultOrder>>{{"transposed", ResultOrder::transposed},
                                                         {"natural", ResultOrder::natural}});
    command_line.add("--plan", "how the library formulation plans", "estimate", options.planning,
                     std::vector<std::pair<std::string, Planning>>{{"estimate", Planning::estimate},
                                                                   {"measure", Planning::measure}});
    command_line.add("--wisdom", "with --plan measure: a file in which FFTW's plans are kept",
                     "none", [&options](const std::string& text) {
                         if (text.empty()) {
                             throw UsageError("an empty name names no file");
                         }
                         options.wisdom.reset();
                         if (text != "none") {
                             options.wisdom = text;
                         }
                     });
    bench::add_data_options(command_line, options.data);
}

}  // namespace quartet::fft
