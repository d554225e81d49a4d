#include "cg/loop.hpp"

#include <algorithm>
#include <utility>

#include "cg/scalars.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "core/data_source.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

CgLoop::CgLoop(bench::Session& session, Problem problem)
    : session_(session),
      world_(session.world()),
      device_(session.device()),
      stream_(session.stream()),
      problem_(std::move(problem)) {}

void CgLoop::restart(device::View<const double> right_side) {
    for (const device::View<double>& vector : {state_.residual, state_.direction}) {
        device_.copy(device::as_bytes(right_side), device::as_bytes(vector), stream_);
    }
    device_.vectors().fill(0.0, state_.solution, stream_);
    state_.residual_dot = 0;
    state_.alpha = 0;
    state_.done = 0;
    state_.breakdown.reset();
}

void CgLoop::run(std::span<double> history, Observer& observer, Samples* samples) {
    auto& done = state_.done;
    const std::int64_t all = std::ssize(history) - 1;
    const auto note_state = [&] {
        if (samples != nullptr) {
            samples->note(state_);
        }
    };
    const auto note_residual = [&] {
        history[static_cast<std::size_t>(done)] = state_.residual_dot;
    };
    if (done == 0) {
        state_.residual_dot = first_residual_dot();
    }
    note_residual();
    note_state();
    if (!observer.observes_iterations()) {
        while (done < all &&
               run_unobserved(history, samples != nullptr ? samples->next(done, all) : all)) {
            note_state();
        }
    }
    if (done == all) {
        return;
    }
    begin();
    for (bool going = true; going;) {
        const bool stop = iterate(observer.wants_stop());
        ++done;
        note_state();
        const auto before = history.first(static_cast<std::size_t>(done));
        going = observer.after(state_, before, stop) == Next::go_on && done < all;
        note_residual();
    }
}

std::unique_ptr<Limit> CgLoop::make_limit(device::Arena& arena) {
    return std::make_unique<Limit>(arena, session_, problem_, share(), state_.solution.size());
}

std::vector<double> CgLoop::on_host(device::View<const double> vector) {
    auto host = device::allocate<double>(device_, vector.size(), device::MemoryKind::pinned);
    device_.copy(device::as_bytes(vector), device::as_bytes(host.view()), stream_);
    stream_.synchronize();
    return {host.span().begin(), host.span().end()};
}

double next_alpha(IterationState& state, double curvature) {
    if (state.breakdown || !are_of_positive_definite(state.residual_dot, curvature)) {
        if (!state.breakdown) {
            state.breakdown = {state.done + 1, curvature, state.residual_dot};
        }
        return 0;
    }
    return alpha_of(state.residual_dot, curvature);
}

Samples::Samples(device::Arena& arena, bench::Session& session, std::int64_t rows)
    : session_(session), vectors_(arena.make<double>(4 * rows * most)) {
    device::View<double> rest = vectors_.view();
    const auto take = [&] {
        const auto vector = rest.part(0, rows);
        rest = rest.part(rows, rest.size() - rows);
        return vector;
    };
    for (Sample& sample : samples_) {
        sample = {0, take(), take(), take(), take()};
    }
}

void Samples::choose(std::int64_t first, std::int64_t iterations) {
    const DataSource source(session_.options().seed, "cg/samples");
    const std::int64_t among = iterations - first;
    // On a GPU each sample may make the CPU wait twice more.
    const std::int64_t wanted = session_.device().accelerator() == nullptr ? most : 1;
    count_ = static_cast<std::size_t>(std::clamp<std::int64_t>(among, 0, wanted));
    for (std::size_t i = 0; i < count_; ++i) {  // one of each third of the iterations
        const Range third = block_range(among, static_cast<int>(count_), static_cast<int>(i));
        const double place = source.uniform_double(runs_ * most + static_cast<std::int64_t>(i));
        samples_[i].iteration =
            first + third.begin +
            static_cast<std::int64_t>(place * static_cast<double>(third.size()));
    }
    ++runs_;
}

void Samples::note(const IterationState& state) {
    const auto copy = [this](device::View<const double> from, device::View<double> to) {
        session_.device().copy(device::as_bytes(from), device::as_bytes(to), session_.stream());
    };
    for (const Sample& sample : chosen()) {
        if (state.done == sample.iteration) {
            copy(state.residual, sample.residual);
            copy(state.direction, sample.direction);
        }
        if (state.done == sample.iteration + 1) {
            copy(state.residual, sample.next_residual);
            copy(state.direction, sample.next_direction);
        }
    }
}

std::int64_t Samples::next(std::int64_t done, std::int64_t otherwise) const {
    for (const Sample& sample : chosen()) {  // in the order of the iterations
        for (const std::int64_t wanted : {sample.iteration, sample.iteration + 1}) {
            if (wanted > done) {
                return wanted;
            }
        }
    }
    return otherwise;
}

std::unique_ptr<CgLoop> make_loop(device::Arena& arena, bench::Session& session,
                                  comm::Transport& transport, const Problem& problem,
                                  bench::Formulation formulation) {
    switch (formulation) {
        case bench::Formulation::dataflow:
            return make_dataflow_loop(arena, session, transport, problem);
        case bench::Formulation::library:
            return make_library_loop(arena, session, transport, problem);
        case bench::Formulation::native:
            break;
    }
    return make_native_loop(arena, session, transport, problem);
}

namespace {

Range rows_of(const bench::Session& session, const Problem& problem) {
    return block_range(problem.size, session.world().size(), session.world().rank());
}

std::unique_ptr<MatrixShare> make_share(device::Arena& arena, const bench::Session& session,
                                        const Problem& problem) {
    if (problem.storage == Storage::symmetric) {
        const comm::Communicator& world = session.world();
        return make_matrix(arena, TrianglePart{problem.size, world.size(), world.rank()});
    }
    const Range rows = rows_of(session, problem);
    return make_matrix(arena, RowBlock{rows.begin, rows.size(), problem.size});
}

struct NativeBuffers {
    /// Collective; local while the arena plans.
    NativeBuffers(device::Arena& arena, const bench::Session& session, comm::Transport& transport,
                  const Problem& problem)
        : rows(rows_of(session, problem)),
          sum(arena.make<double>(1, device::MemoryKind::pinned)),
          solution(arena.make<double>(rows.size())),
          product(arena.make<double>(rows.size())),
          direction(arena.make<double>(problem.size)),
          residual(comm::allocate<double>(arena, transport, rows.size())) {
        if (session.world().size() > 1) {
            gathered = arena.make<double>(problem.size);
            if (problem.storage == Storage::symmetric) {
                contribution = comm::allocate<double>(arena, transport, problem.size);
            }
        }
    }

    Range rows;                  ///< of the vectors that this rank has
    device::Buffer<double> sum;  ///< this rank's share of a sum, for the CPU to read
    device::Buffer<double> solution;
    device::Buffer<double> product;       ///< A p
    device::Buffer<double> direction;     ///< all of p
    device::Buffer<double> residual;      ///< this rank's rows of r
    device::Buffer<double> gathered;      ///< on several ranks: all of r
    device::Buffer<double> contribution;  ///< of a triangle, on several ranks: to all of A p
};

/// Every rank has a block of the vectors' rows. Full storage: it has its rows of the matrix and
/// makes its part of the product. Symmetric storage: it has a part of the triangle and contributes
/// to all of the product; the ranks' contributions are reduced and scattered. Either way a rank
/// multiplies all of p = r + beta p, which it computes itself: the ranks gather r. The reading of
/// other ranks' r lies between the iteration's two sums, for which the ranks meet anyway.
class NativeLoop final : public CgLoop {
  public:
    NativeLoop(device::Arena& arena, bench::Session& session, comm::Transport& transport,
               const Problem& problem);

    [[nodiscard]] MatrixShare* share() override { return share_.get(); }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    /// A sum over all ranks, and whether any of them has voted.
    struct Agreed {
        double sum;
        bool any;
    };

    double first_residual_dot() override;
    bool run_unobserved(std::span<double> history, std::int64_t end) override;
    void begin() override;
    bool iterate(bool wants_stop) override;

    void prepare_collectives(device::Arena& arena, comm::Transport& transport);
    void record_product();
    void multiply_and_dot();
    void update_remote_direction();
    device::View<const double> gather_by_residual(device::View<const double> rows);
    Agreed sum(bool vote = false);

    std::unique_ptr<MatrixShare> share_;
    NativeBuffers buffers_;
    std::unique_ptr<comm::DeterministicAllreduce> sum_;
    std::unique_ptr<comm::Collective> gather_;      ///< on several ranks: of r
    std::unique_ptr<comm::Collective> reduce_;      ///< on several ranks: of contributions
    device::Operations product_;                    ///< of this share, and the dot unless reduced
    device::Operations dot_;                        ///< of what has been reduced
    std::unique_ptr<ResidentIterations> resident_;  ///< on one rank, if the device has them
    std::optional<double> beta_;                    ///< of the last iteration of this run
};

NativeLoop::NativeLoop(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                       const Problem& problem)
    : CgLoop(session, problem),
      share_(make_share(arena, session, problem)),
      buffers_(arena, session, transport, problem),
      sum_(transport.prepare_allreduce(arena, 2)) {
    state_.solution = buffers_.solution.view();
    state_.residual = buffers_.residual.view();
    state_.direction = buffers_.direction.view().part(buffers_.rows.begin, buffers_.rows.size());
    if (world_.size() > 1) {
        prepare_collectives(arena, transport);
    } else {
        resident_ = share_->make_iterations(arena, state_, stream_);
    }
    if (!arena.plans()) {
        record_product();
    }
}

void NativeLoop::prepare_collectives(device::Arena& arena, comm::Transport& transport) {
    std::vector<std::int64_t> elements;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < world_.size(); ++rank) {
        elements.push_back(block_range(problem_.size, world_.size(), rank).size());
        bytes.push_back(bytes_of<double>(elements.back()).value);
    }
    gather_ = transport.prepare_all_gather(arena, {device::as_bytes(state_.residual),
                                                   device::as_bytes(buffers_.gathered.view()),
                                                   bytes,
                                                   {.before = true, .after = true}});
    if (problem_.storage == Storage::symmetric) {
        reduce_ = transport.prepare_reduce_scatter(
            arena,
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
    } else {
        product_ = device_.record([this, p, product, dot](device::Stream& stream) {
            if (!share_->multiply_and_dot(p, product, buffers_.sum.view(), stream)) {
                share_->multiply(p, product, stream);
                dot(stream);
            }
        });
    }
}

// Adds the ranks' shares, which their devices have left in buffers_.sum, in rank order.
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

bool NativeLoop::run_unobserved(std::span<double> history, std::int64_t end) {
    if (resident_) {
        resident_->run(state_, history, end);
    }
    return resident_ != nullptr;
}

// Gathers all of p by way of r's memory.
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
    auto& [x, r, p, residual_dot, alpha, done, breakdown] = state_;
    const device::View<double> product = buffers_.product.view();
    if (gather_ && beta_) {
        update_remote_direction();
    }
    multiply_and_dot();
    alpha = next_alpha(state_, sum().sum);
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

// p = r + beta p in the rows of other ranks, as they compute it.
void NativeLoop::update_remote_direction() {
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

// Gathers another vector by way of r's memory, so r is lost. Here no sums make the ranks meet.
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

std::unique_ptr<CgLoop> make_native_loop(device::Arena& arena, bench::Session& session,
                                         comm::Transport& transport, const Problem& problem) {
    return std::make_unique<NativeLoop>(arena, session, transport, problem);
}

}  // namespace quartet::cg
