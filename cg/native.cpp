#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "cg/loop.hpp"
#include "cg/matrix.hpp"
#include "cg/scalars.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

namespace {

Range rows_of(const bench::Session& session, const Problem& problem) {
    return block_range(problem.size, session.world().size(), session.world().rank());
}

// Hands what this rank stores, a row block or a part of the triangle, to `use`.
template <typename Use>
auto with_share_of(const bench::Session& session, const Problem& problem, Use use) {
    if (problem.storage == Storage::symmetric) {
        return use(TrianglePart{problem.size, session.world().size(), session.world().rank()});
    }
    const Range rows = rows_of(session, problem);
    return use(RowBlock{rows.begin, rows.size(), problem.size});
}

// Made, and the transport checked, before there are windows.
std::unique_ptr<MatrixShare> make_share(bench::Session& session, const comm::Transport& transport,
                                        const Problem& problem) {
    comm::require(transport, comm::Capability::all_gather, "cg");
    if (problem.storage == Storage::symmetric) {
        comm::require(transport, comm::Capability::reduce_scatter, "storage symmetric");
    }
    return with_share_of(session, problem,
                         [&](const auto& part) { return make_matrix(session.device(), part); });
}

/// Iterations of one rank on a GPU that nobody observes. Their scalars stay with the vectors in the
/// GPU's memory, so that the CPU enqueues many iterations at once and waits for none.
class ResidentIterations {
  public:
    struct Buffers {
        explicit Buffers(bench::Arena& arena)
            : scalars(arena.make<CgScalars>(1)),
              history(arena.make<double>(most + 1)),
              seen_scalars(arena.make<CgScalars>(1, bench::Room::host)),
              seen_history(arena.make<double>(most + 1, bench::Room::host)) {}

        device::Buffer<CgScalars> scalars;
        device::Buffer<double> history;  ///< of some iterations, and the one before them
        // The CPU's copies.
        device::Buffer<CgScalars> seen_scalars;
        device::Buffer<double> seen_history;
    };

    /// Borrows all but the buffers; `matrix` is what failures call the matrix.
    ResidentIterations(bench::Session& session, Buffers buffers, ClassicIteration& loop,
                       const IterationState& state, std::string matrix)
        : session_(session),
          buffers_(std::move(buffers)),
          matrix_(std::move(matrix)),
          loop_(loop),
          cg_{state.direction, state.solution, state.residual, buffers_.scalars.view(),
              buffers_.history.view()},
          next_(recorded(1)),
          several_(recorded(of_graph)) {}

    /// Iterates from the state until `history` is full. Throws Failure as alpha_of does.
    void run(IterationState& state, std::span<double> history);

  private:
    /// Iterations of a graph: within it one kernel may begin while the one before it ends.
    static constexpr std::int64_t of_graph = 16;
    /// Iterations that the CPU enqueues before it waits and looks for a failure: even the shortest
    /// then take far longer than the wait.
    static constexpr std::int64_t most = 1 + 8 * of_graph;

    device::Operations recorded(std::int64_t iterations) {
        return session_.device().record([this, iterations](device::Stream& stream) {
            for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
                loop_.iterate(cg_, DirectionOf::residual, stream);
            }
        });
    }
    void take_over(IterationState& state, std::int64_t count, std::span<double> history);
    template <typename T>
    void copy(device::View<T> from, device::View<T> to) {
        session_.device().copy(device::as_bytes(device::View<const T>(from)), device::as_bytes(to),
                               session_.stream());
    }

    bench::Session& session_;
    Buffers buffers_;
    std::string matrix_;
    ClassicIteration& loop_;
    ResidentCg cg_;
    device::Operations next_;
    device::Operations several_;
};

void ResidentIterations::run(IterationState& state, std::span<double> history) {
    device::Stream& stream = session_.stream();
    CgScalars& seen = buffers_.seen_scalars.span().front();
    seen = {.sum = state.residual_dot, .residual_dot = state.residual_dot, .alpha = state.alpha};
    const std::int64_t all = std::ssize(history) - 1;
    while (state.done < all) {
        seen.done = 0;  // of these
        copy(buffers_.seen_scalars.view(), buffers_.scalars.view());
        const std::int64_t count = std::min(most, all - state.done);
        loop_.iterate(cg_, DirectionOf::state, stream);
        std::int64_t left = count - 1;
        for (; left >= of_graph; left -= of_graph) {
            several_(stream);
        }
        for (; left > 0; --left) {
            next_(stream);
        }
        loop_.finish(cg_, stream);
        take_over(state, count, history);
    }
}

// Waits for `count` iterations, and takes over the values that they left on the device.
void ResidentIterations::take_over(IterationState& state, std::int64_t count,
                                   std::span<double> history) {
    copy(buffers_.scalars.view(), buffers_.seen_scalars.view());
    copy(buffers_.history.view(), buffers_.seen_history.view());
    session_.stream().synchronize();
    const CgScalars& seen = buffers_.seen_scalars.span().front();
    if (seen.failed_at >= 0) {
        alpha_of(seen.failed_residual_dot, seen.failed_curvature, state.done + seen.failed_at,
                 matrix_);
    }
    std::copy_n(buffers_.seen_history.span().begin() + 1, count, history.begin() + state.done + 1);
    state.done += count;
    state.residual_dot = history[static_cast<std::size_t>(state.done)];
    state.alpha = seen.alpha;
}

struct NativeBuffers {
    /// Collective where the arena allocates.
    NativeBuffers(bench::Arena& arena, bench::Session& session, const Problem& problem)
        : rows(rows_of(session, problem)),
          sum(arena.make<double>(1, bench::Room::host)),
          solution(arena.make<double>(rows.size())),
          product(arena.make<double>(rows.size())),
          direction(arena.make<double>(problem.size)) {
        const bool several = session.world().size() > 1;
        if (several) {
            gathered = arena.make<double>(problem.size);
        } else if (session.device().accelerator() != nullptr) {
            resident.emplace(arena);
        }
        // Windows last: they could not be freed while an exception unwinds.
        residual = arena.make<double>(rows.size(), bench::Room::device_window);
        if (several && problem.storage == Storage::symmetric) {
            contribution = arena.make<double>(problem.size, bench::Room::device_window);
        }
    }

    Range rows;                  ///< of the vectors that this rank has
    device::Buffer<double> sum;  ///< this rank's share of a sum, for the CPU to read
    device::Buffer<double> solution;
    device::Buffer<double> product;       ///< A p
    device::Buffer<double> direction;     ///< all of p
    device::Buffer<double> gathered;      ///< on several ranks: all of r
    device::Buffer<double> residual;      ///< this rank's rows of r
    device::Buffer<double> contribution;  ///< of a triangle, on several ranks: to all of A p
    std::optional<ResidentIterations::Buffers> resident;
};

/// Every rank has a block of the vectors' rows. Full storage: it has its rows of the matrix and
/// makes its part of the product. Symmetric storage: it has a part of the triangle and contributes
/// to all of the product; the ranks' contributions are reduced and scattered. Either way a rank
/// multiplies all of p = r + beta p, which it computes itself: the ranks gather r. The reading of
/// other ranks' r lies between the iteration's two sums, for which the ranks meet anyway.
class NativeLoop final : public CgLoop {
  public:
    NativeLoop(bench::Session& session, comm::Transport& transport, const Problem& problem);

    [[nodiscard]] MatrixShare* share() override { return share_.get(); }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    /// A sum over all ranks, and whether any of them has voted.
    struct Agreed {
        double sum;
        bool any;
    };

    double first_residual_dot() override;
    bool run_unobserved(std::span<double> history) override;
    void begin() override;
    bool iterate(bool wants_stop) override;

    void prepare_collectives(comm::Transport& transport);
    void record_product();
    void multiply_and_dot();
    void follow_others();
    device::View<const double> gather_by_residual(device::View<const double> rows);
    Agreed sum(bool vote = false);

    std::unique_ptr<MatrixShare> share_;
    NativeBuffers buffers_;
    std::unique_ptr<comm::OrderedSum> sum_;
    std::unique_ptr<comm::Collective> gather_;  ///< on several ranks: of r
    std::unique_ptr<comm::Collective> reduce_;  ///< on several ranks: of contributions
    device::Operations product_;                ///< of this share, and the dot unless reduced
    device::Operations dot_;                    ///< of what has been reduced
    std::optional<ResidentIterations> resident_;
    std::optional<double> beta_;  ///< of the last iteration of this run
};

NativeLoop::NativeLoop(bench::Session& session, comm::Transport& transport, const Problem& problem)
    : CgLoop(session, transport, problem),
      share_(make_share(session, transport, problem)),
      buffers_(arena_, session, problem),
      sum_(transport.prepare_ordered_sum(world_, 2)) {
    state_.solution = buffers_.solution.view();
    state_.residual = buffers_.residual.view();
    state_.direction = buffers_.direction.view().part(buffers_.rows.begin, buffers_.rows.size());
    if (world_.size() > 1) {
        prepare_collectives(transport);
    }
    record_product();
    if (buffers_.resident) {
        resident_.emplace(session, std::move(*buffers_.resident), *share_->classic_iteration(),
                          state_, name_);
    }
}

void NativeLoop::prepare_collectives(comm::Transport& transport) {
    std::vector<std::int64_t> elements;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < world_.size(); ++rank) {
        elements.push_back(block_range(problem_.size, world_.size(), rank).size());
        bytes.push_back(bytes_of<double>(elements.back()).value);
    }
    gather_ = transport.prepare_all_gather({device::as_bytes(state_.residual),
                                            device::as_bytes(buffers_.gathered.view()),
                                            bytes,
                                            {.before = true, .after = true}});
    if (problem_.storage == Storage::symmetric) {
        reduce_ = transport.prepare_reduce_scatter(
            {buffers_.contribution.view(), buffers_.product.view(), elements, {.after = true}});
    }
}

// The operations that are enqueued between the communications.
void NativeLoop::record_product() {
    const device::View<const double> p = buffers_.direction.view();
    const device::View<double> product = buffers_.product.view();
    const auto dot = [this, product](device::Stream& stream) {
        device_.vectors().dot(state_.direction, product, buffers_.sum.view(), stream);
    };
    if (reduce_) {
        product_ = device_.record([this, p](device::Stream& stream) {
            share_->multiply(p, buffers_.contribution.view(), stream);
        });
        dot_ = device_.record(dot);
    } else if (ClassicIteration* own = share_->classic_iteration()) {
        product_ = device_.record([this, own, p, product](device::Stream& stream) {
            own->multiply_and_dot(p, product, buffers_.sum.view(), stream);
        });
    } else {
        product_ = device_.record([this, p, product, dot](device::Stream& stream) {
            share_->multiply(p, product, stream);
            dot(stream);
        });
    }
}

// The share that the device has left, added in rank order.
NativeLoop::Agreed NativeLoop::sum(bool vote) {
    stream_.synchronize();
    const Span span(stream_.track(), Phase::reduce, "sum");
    std::array<double, 2> sums{buffers_.sum.span()[0], vote ? 1.0 : 0.0};
    if (world_.size() > 1) {
        sum_->run(sums);
    }
    return {sums[0], sums[1] > 0};
}

double NativeLoop::first_residual_dot() {
    device_.vectors().dot(state_.residual, state_.residual, buffers_.sum.view(), stream_);
    return sum().sum;
}

bool NativeLoop::run_unobserved(std::span<double> history) {
    if (resident_) {
        resident_->run(state_, history);
    }
    return resident_.has_value();
}

// All ranks' rows of p, by r's place.
void NativeLoop::begin() {
    beta_.reset();
    if (!gather_) {
        return;
    }
    const device::View<double> kept = buffers_.product.view();
    device_.copy(device::as_bytes(state_.residual), device::as_bytes(kept), stream_);
    const auto all = gather_by_residual(state_.direction);
    device_.copy(device::as_bytes(all), device::as_bytes(buffers_.direction.view()), stream_);
    device_.copy(device::as_bytes(kept), device::as_bytes(state_.residual), stream_);
}

// The paper's iteration (VI.C), after Hestenes and Stiefel (1952): two sums, one after the other.
bool NativeLoop::iterate(bool wants_stop) {
    auto& [x, r, p, residual_dot, alpha, done] = state_;
    const device::View<double> product = buffers_.product.view();
    if (gather_ && beta_) {
        follow_others();
    }
    multiply_and_dot();
    alpha = alpha_of(residual_dot, sum().sum, done, name_);
    update(device_, alpha, {p, product, x, r}, buffers_.sum.view(), stream_);
    const double before = residual_dot;
    const auto [dot, stop] = sum(wants_stop);
    residual_dot = dot;
    beta_ = beta_of(residual_dot, before, alpha);
    device_.vectors().xpay(r, *beta_, p, stream_);
    return stop;
}

void NativeLoop::multiply_and_dot() {
    product_(stream_);
    if (reduce_) {
        reduce_->run(stream_);
        dot_(stream_);
    }
}

// r + beta p, as other ranks have it in their rows.
void NativeLoop::follow_others() {
    gather_->run(stream_);
    const device::View<const double> r = buffers_.gathered.view();
    const device::View<double> p = buffers_.direction.view();
    const auto [begin, end] = buffers_.rows;
    for (const Range part : {Range{0, begin}, Range{end, p.size()}}) {
        device_.vectors().xpay(r.part(part.begin, part.size()), *beta_,
                               p.part(part.begin, part.size()), stream_);
    }
}

std::vector<double> NativeLoop::gather(device::View<const double> rows) {
    return on_host(gather_by_residual(rows));
}

// All rows of another vector, by r's place: r is lost. Not between two sums, so the ranks meet.
device::View<const double> NativeLoop::gather_by_residual(device::View<const double> rows) {
    const auto meet = [this] {
        stream_.synchronize();
        world_.barrier();
    };
    if (rows.data() != state_.residual.data()) {
        device_.copy(device::as_bytes(rows), device::as_bytes(state_.residual), stream_);
    }
    meet();
    if (!gather_) {
        return state_.residual;
    }
    gather_->run(stream_);
    meet();
    return buffers_.gathered.view();
}

}  // namespace

std::unique_ptr<CgLoop> make_native_loop(bench::Session& session, comm::Transport& transport,
                                         const Problem& problem) {
    return std::make_unique<NativeLoop>(session, transport, problem);
}

void count_native_loop(bench::Arena& arena, bench::Session& session,
                       const comm::OperationMemory& transport, const Problem& problem) {
    const Bytes share = with_share_of(
        session, problem, [&](const auto& part) { return matrix_memory(session.device(), part); });
    arena.count(share, bench::Room::device);
    const int ranks = session.world().size();
    if (problem.storage == Storage::symmetric && ranks > 1) {
        arena.count(
            transport.reduce_scatter(ranks, bytes_of<double>(rows_of(session, problem).size())),
            bench::Room::device);
    }
    Limit::Buffers(arena, problem);
    NativeBuffers(arena, session, problem);
}

}  // namespace quartet::cg
