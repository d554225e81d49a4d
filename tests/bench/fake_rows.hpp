#pragma once

#include <string>
#include <vector>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// A verified stream row of 100 pushes of 2 MiB, with these times of its runs.
inline Row fake_row(const std::vector<double>& seconds) {
    Row row;
    row.name.kernel = "stream";
    row.name.variant = {Formulation::native, "host", "shm"};
    row.name.size = "2MiB";
    row.name.factors = {{"pushes", "100"}};
    row.name.ranks = 2;
    row.work.bytes = 100 * mebibytes(2);
    row.work.flops = {100.0 * 524288};
    row.work.counters = {{"pushes", 100}, {"senders", 1}};
    for (const double time : seconds) {
        Run run;
        run.real = {time};
        run.cpu = {time / 2};
        run.rank_seconds = {time, time / 4};
        run.phases[static_cast<std::size_t>(Phase::push)] = time / 8;
        row.add(std::move(run));
    }
    row.check = Check{true, 0, 0};
    return row;
}

/// The row of a case that could not run.
inline Row fake_error(const std::string& message) {
    Row row = fake_row({});
    row.name = row.name.with_suffix("error");
    row.check.reset();
    row.error = message;
    return row;
}

}  // namespace quartet::bench
