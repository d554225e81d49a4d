#include "cg/problem.hpp"

#include <filesystem>

namespace quartet::cg {

std::string Problem::word() const {
    return std::filesystem::path(system).filename().string();
}

bench::Work Problem::work(int ranks) const {
    const auto n = static_cast<double>(size);
    const std::int64_t bytes_an_element = storage == Storage::full ? 8 : 4;
    bench::Work work;
    work.unit = bench::RateUnit::gflops;
    work.flops = {iterations * 2 * n * n};
    work.bytes = iterations * Bytes{bytes_an_element * size * size};
    work.workers = ranks;
    work.counters = {{"steps", iterations}};
    return work;
}

}  // namespace quartet::cg
