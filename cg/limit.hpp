#pragma once

#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/results/row.hpp"
#include "bench/session/session.hpp"
#include "cg/matrix.hpp"
#include "cg/problem.hpp"

namespace quartet::cg {

/// How long the iterations would take at the machine's limit: reading each rank's share of the
/// matrix once an iteration, all ranks at the same time, or the arithmetic in registers. The matrix
/// is read by whatever reads it fastest: one of the device's loops that only read, the share's own
/// product, or gemv of the device's BLAS. Passes follow one another, as iterations do: both find in
/// the caches what stays there.
class Limit {
  public:
    /// Borrows the session and the share, which has `rows` rows of the product and is null on a
    /// reducer. Local.
    Limit(device::Arena& arena, bench::Session& session, const Problem& problem, MatrixShare* share,
          std::int64_t rows);
    virtual ~Limit() = default;
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;

    /// Probes each component; the slowest decides. The same answer on all ranks. Collective.
    virtual std::vector<bench::LimitComponent> measure();

  protected:
    bench::Session& session_;

  private:
    void add_products(MatrixShare& share, std::int64_t size, std::int64_t rows);

    bench::Work work_;  ///< of all ranks together
    int iterations_;
    // On ranks with rows: the probe, and the vectors of products that read the matrix.
    std::optional<bench::MemoryProbe> probe_;
    device::Buffer<double> x_;
    device::Buffer<double> y_;
    // From the first measurement on:
    int passes_ = 0;
    std::string way_;  ///< of the probes, summarised over the ranks
    bench::ArithmeticLimit arithmetic_;
};

}  // namespace quartet::cg
