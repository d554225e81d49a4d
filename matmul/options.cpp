#include "matmul/options.hpp"

namespace quartet::matmul {

namespace {

// Elements of a matrix are counted in 64 bits, with room for their bytes.
constexpr std::int64_t largest_edge = std::int64_t{1} << 30;

}  // namespace

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add("--size", "edge of the square matrices", "8192",
                     [&options](const std::string& text) {
                         options.size = bench::parse_count(text, 1, largest_edge);
                     });
    command_line.add("--tile", "edge of a tile (1024; on a GPU by its memory)", "",
                     [&options](const std::string& text) {
                         options.tile = bench::parse_count(text, 1, largest_edge);
                     });
    command_line.add("--reducers", "with dataflow: ranks that add (2 of 4 ranks or more, else 1)",
                     "", [&options](const std::string& text) {
                         options.reducers = static_cast<int>(bench::parse_count(text, 1, 1 << 20));
                     });
    command_line.add("--schedule", "with dataflow: how products are shared out", "static",
                     options.schedule,
                     std::vector<std::pair<std::string, WorkSchedule>>{
                         {"static", WorkSchedule::fixed}, {"dynamic", WorkSchedule::dynamic}});
    command_line.add_queue();
    command_line.add_lookahead();
    bench::add_data_options(command_line, options.data);
}

}  // namespace quartet::matmul
