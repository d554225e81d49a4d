#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cg/loop.hpp"
#include "comm/mpi/mpi_session.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "device/blas.hpp"
#include "device/host_access.hpp"
#include "system/parallel_for.hpp"

namespace quartet::cg {

namespace {

/// A row-major block of rows without padding: element (i, j) of the block at i * columns + j. The
/// product is one call of the device's BLAS, gemv.
class RowMajorRows final : public MatrixShare {
  public:
    RowMajorRows(device::Arena& arena, bench::Session& session, const RowBlock& block)
        : session_(session),
          block_(block),
          elements_(arena.make<double>(block.rows * block.columns)) {
        arena.reserve_for_set_up(
            device::HostAccess::memory(storage().bytes(), session.device().memory_kind()));
    }

    void fill(const ReadRow& read_row) override;
    void multiply(device::View<const double> x, device::View<double> y,
                  device::Stream& stream) override {
        session_.device().blas().gemv(block_.rows, block_.columns, elements_.view(), x, y, stream);
    }
    [[nodiscard]] device::View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override {
        return fmt::format("rows one after another (row-major), gemv of {}",
                           session_.device().blas().description());
    }

  private:
    bench::Session& session_;
    RowBlock block_;
    device::Buffer<double> elements_;
};

// Each thread reads an equal part of the rows of a piece. Pieces begin and end anywhere: a GPU's
// memory is seen by as much as a buffer holds.
void RowMajorRows::fill(const ReadRow& read_row) {
    const std::int64_t columns = block_.columns;
    const auto fill_piece = [&](std::int64_t first, std::span<double> piece) {
        const std::int64_t end = first + std::ssize(piece);
        const Range rows{first / columns, (end + columns - 1) / columns};
        system::parallel_parts_that_throw(session_.threads(), [&](int part) {
            const Range mine = block_range(rows.size(), session_.threads(), part);
            for (std::int64_t row = rows.begin + mine.begin; row < rows.begin + mine.end; ++row) {
                const std::int64_t from = std::max(first, row * columns);
                const std::int64_t to = std::min(end, (row + 1) * columns);
                read_row(block_.first_row + row, from - row * columns,
                         piece.subspan(static_cast<std::size_t>(from - first),
                                       static_cast<std::size_t>(to - from)));
            }
        });
    };
    device::HostAccess(session_.device(), session_.stream()).write(elements_.view(), fill_piece);
}

/// The iteration as a user of plain MPI and BLAS would write it first: all of p by MPI_Allgatherv,
/// one gemv, sums by MPI_Allreduce, and a pass over the vectors for each operation on them. It has
/// no checkpoints.
class LibraryLoop final : public CgLoop {
  public:
    LibraryLoop(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                const Problem& problem);

    [[nodiscard]] MatrixShare* share() override { return &matrix_; }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    double first_residual_dot() override {
        return sum_of_products(state_.residual, state_.residual);
    }
    bool iterate(bool wants_stop) override;
    double sum_of_products(device::View<const double> a, device::View<const double> b);
    /// All of p, to whole_.
    void gather_direction();

    RowMajorRows matrix_;
    device::Buffer<double> whole_;  ///< p of all ranks
    device::Buffer<double> r_;
    device::Buffer<double> p_;
    std::vector<int> counts_;  ///< of rows, by rank
    std::vector<int> first_;   ///< row, by rank
};

LibraryLoop::LibraryLoop(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                         const Problem& problem)
    : CgLoop(arena, session, problem, bench::Formulation::library),
      matrix_(arena, session, row_block()),
      whole_(arena.make<double>(problem.size)),
      r_(arena.make<double>(rows_.size())),
      p_(comm::allocate<double>(arena, transport, rows_.size())) {
    comm::require_plain_mpi(transport, "formulation library");
    check(problem.storage == Storage::full, "the library formulation has full storage");
    for (int rank = 0; rank < world_.size(); ++rank) {
        const Range rows = problem.rows(roles_, rank);
        counts_.push_back(static_cast<int>(rows.size()));
        first_.push_back(static_cast<int>(rows.begin));
    }
    state_.residual = r_.view();
    state_.direction = p_.view();
}

// Uses p, whose values are lost.
std::vector<double> LibraryLoop::gather(device::View<const double> rows) {
    if (rows.data() != state_.direction.data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(state_.direction), stream_);
    }
    gather_direction();
    return on_host(whole_.view());
}

void LibraryLoop::gather_direction() {
    stream_.synchronize();
    const Span span(stream_.track(), Phase::exchange, "all-gather");
    const device::View<const double> mine = p_.view();
    comm::check_mpi(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                                   whole_.view().data(), counts_.data(), first_.data(), MPI_DOUBLE,
                                   world_.handle()));
}

double LibraryLoop::sum_of_products(device::View<const double> a, device::View<const double> b) {
    dot(a, b);
    double sum = local_sum();
    const Span span(stream_.track(), Phase::reduce, "sum");
    comm::check_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world_.handle()));
    return sum;
}

bool LibraryLoop::iterate(bool wants_stop) {
    check(!wants_stop, "the library formulation has no checkpoints");
    auto& [x, r, p, residual_dot, alpha, done, breakdown] = state_;
    const device::View<double> product = product_.view();
    gather_direction();
    matrix_.multiply(whole_.view(), product, stream_);
    alpha = next_alpha(state_, sum_of_products(p, product));
    device_.vectors().axpy(alpha, p, x, stream_);
    device_.vectors().axpy(-alpha, product, r, stream_);
    const double before = residual_dot;
    residual_dot = sum_of_products(r, r);
    device_.vectors().xpay(r, beta_of(residual_dot, before, alpha), p, stream_);
    return false;
}

}  // namespace

std::unique_ptr<CgLoop> make_library_loop(device::Arena& arena, bench::Session& session,
                                          comm::Transport& transport, const Problem& problem) {
    return std::make_unique<LibraryLoop>(arena, session, transport, problem);
}

}  // namespace quartet::cg
