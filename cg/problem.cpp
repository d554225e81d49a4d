#include "cg/problem.hpp"

#include "core/check.hpp"

namespace quartet::cg {

std::string Problem::title() const {
    return "matrix " + quotation(system);
}

Range Problem::rows(const comm::Roles& roles, int rank) const {
    return roles.of(rank) == comm::Role::worker
               ? block_range(size, roles.workers(), roles.index_of(rank))
               : Range{};
}

std::int64_t Problem::largest_rows(const comm::Roles& roles) const {
    return (size + roles.workers() - 1) / roles.workers();
}

bench::Work Problem::work(int workers) const {
    const auto n = static_cast<double>(size);
    const std::int64_t bytes_an_element = storage == Storage::full ? 8 : 4;
    bench::Work work;
    work.unit = bench::RateUnit::gflops;
    work.flops = {iterations * 2 * n * n};
    work.bytes = iterations * Bytes{bytes_an_element * size * size};
    work.workers = workers;
    work.counters = {{"steps", iterations}};
    return work;
}

comm::Roles roles_of(bench::Formulation formulation, int ranks) {
    return formulation == bench::Formulation::dataflow ? comm::Roles::with_reducers(ranks, 1)
                                                       : comm::Roles::all_workers(ranks);
}

}  // namespace quartet::cg
