#pragma once

#include <vector>

#include "bench/flags/command_line.hpp"
#include "core/units.hpp"

namespace quartet::stream {

/// The flags that only stream has.
struct Options {
    std::vector<Bytes> sizes;  ///< of one vector; empty until the defaults are filled in
    int pushes = 0;            ///< 0: the default of the routes
    bench::Switch pairs = bench::Switch::off;
};

/// Adds the flags to the command line; `options` outlives it.
void add_options(bench::CommandLine& command_line, Options& options);

/// Fills in what was not given: 2 to 128 MiB and 100 pushes as published (VI.A), for pairs 16 MiB
/// and 10 pushes.
Options with_defaults(Options options);

/// Reads "2:128" (doubling) or "2,8,512KiB,64k"; a number without a unit counts MiB. Sizes are
/// whole floats, at least one. Throws UsageError.
std::vector<Bytes> parse_sizes(std::string_view text);

}  // namespace quartet::stream
