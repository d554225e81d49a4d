#include "cg/loop.hpp"

#include <algorithm>
#include <utility>

#include "comm/transport/registry/transport_registry.hpp"
#include "core/data_source.hpp"

namespace quartet::cg {

CgLoop::CgLoop(device::Arena& arena, bench::Session& session, const Problem& problem,
               bench::Formulation formulation)
    : session_(session),
      world_(session.world()),
      device_(session.device()),
      stream_(session.stream()),
      problem_(problem),
      roles_(roles_of(formulation, world_.size())),
      rows_(problem.rows(roles_, world_.rank())),
      solution_(arena.make<double>(rows_.size())),
      product_(arena.make<double>(rows_.size())),
      sum_(arena.make<double>(1, device::MemoryKind::pinned)) {
    state_.solution = solution_.view();
}

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

void CgLoop::run(std::span<double> history, Observer* observer, Samples* samples) {
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
    while (observer == nullptr && done < all &&
           run_unobserved(history, samples != nullptr ? samples->next(done, all) : all)) {
        note_state();
    }
    if (done == all) {
        return;
    }
    begin();
    for (bool going = true; going;) {
        const bool stop = iterate(observer != nullptr && observer->wants_stop());
        ++done;
        note_state();
        going = done < all;
        if (observer != nullptr) {
            const auto before = history.first(static_cast<std::size_t>(done));
            going = observer->after(state_, before, stop) == Next::go_on && going;
        }
        note_residual();
    }
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
        sample = {0, {take(), take()}, {take(), take()}};
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
        const std::int64_t made = state.done - sample.iteration;
        if (made == 0 || made == 1) {
            copy(state.residual, sample.residual[static_cast<std::size_t>(made)]);
            copy(state.direction, sample.direction[static_cast<std::size_t>(made)]);
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

namespace {

MatrixPart part_of(const comm::Communicator& world, const Problem& problem, const RowBlock& rows) {
    return problem.storage == Storage::symmetric
               ? MatrixPart(TrianglePart{problem.size, world.size(), world.rank()})
               : rows;
}

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
    double first_residual_dot() override;
    bool run_unobserved(std::span<double> history, std::int64_t end) override;
    void begin() override;
    bool iterate(bool wants_stop) override;

    void prepare_collectives(device::Arena& arena, comm::Transport& transport);
    void record_product();
    void multiply_and_dot();
    void update_remote_direction();
    device::View<const double> gather_by_residual(device::View<const double> rows);
    std::pair<double, bool> sum(bool vote = false);

    std::unique_ptr<MatrixShare> share_;
    device::Buffer<double> direction_;     ///< all of p
    device::Buffer<double> residual_;      ///< this rank's rows of r
    device::Buffer<double> gathered_;      ///< on several ranks: all of r
    device::Buffer<double> contribution_;  ///< of a triangle, on several ranks: to all of A p
    std::unique_ptr<comm::DeterministicAllreduce> allreduce_;
    std::unique_ptr<comm::Collective> gather_;  ///< on several ranks: of r
    std::unique_ptr<comm::Collective> reduce_;  ///< on several ranks: of contributions
    device::Operations multiply_;               ///< by this share, and the dot unless reduced
    device::Operations dot_;                    ///< of what has been reduced
    bool is_resident_ = false;                  ///< one rank, whose device has the iterations
    std::optional<double> beta_;                ///< of the last iteration of this run
};

NativeLoop::NativeLoop(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                       const Problem& problem)
    : CgLoop(arena, session, problem, bench::Formulation::native),
      share_(make_matrix(arena, part_of(world_, problem, row_block()))),
      direction_(arena.make<double>(problem.size)),
      residual_(comm::allocate<double>(arena, transport, rows_.size())),
      allreduce_(transport.prepare_allreduce(arena, 2)) {
    state_.residual = residual_.view();
    state_.direction = direction_.view().part(rows_.begin, rows_.size());
    if (world_.size() > 1) {
        prepare_collectives(arena, transport);
    } else {
        is_resident_ = share_->prepare_iterations(arena, state_, stream_);
    }
    if (!arena.plans()) {
        record_product();
    }
}

void NativeLoop::prepare_collectives(device::Arena& arena, comm::Transport& transport) {
    std::vector<std::int64_t> elements;
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < world_.size(); ++rank) {
        elements.push_back(problem_.rows(roles_, rank).size());
        bytes.push_back(bytes_of<double>(elements.back()).value);
    }
    gathered_ = arena.make<double>(problem_.size);
    gather_ = transport.prepare_all_gather(arena, {device::as_bytes(state_.residual),
                                                   device::as_bytes(gathered_.view()),
                                                   bytes,
                                                   {.before = true, .after = true}});
    if (problem_.storage == Storage::symmetric) {
        contribution_ = comm::allocate<double>(arena, transport, problem_.size);
        reduce_ = transport.prepare_reduce_scatter(
            arena, {contribution_.view(), product_.view(), elements, {.after = true}});
    }
}

// The operations that are enqueued between the communications.
void NativeLoop::record_product() {
    const device::View<const double> p = direction_.view();
    const device::View<double> product = product_.view();
    const auto dot_of_product = [this, product](device::Stream& stream) {
        device_.vectors().dot(state_.direction, product, sum_.view(), stream);
    };
    if (reduce_) {
        multiply_ = device_.record([this, p](device::Stream& stream) {
            share_->multiply(p, contribution_.view(), stream);
        });
        dot_ = device_.record(dot_of_product);
    } else {
        multiply_ = device_.record([this, p, product, dot_of_product](device::Stream& stream) {
            if (!share_->multiply_and_dot(p, product, sum_.view(), stream)) {
                share_->multiply(p, product, stream);
                dot_of_product(stream);
            }
        });
    }
}

// Adds the ranks' shares, which their devices have left in sum_, in rank order. Says, too, whether
// any rank has voted.
std::pair<double, bool> NativeLoop::sum(bool vote) {
    std::array<double, 2> sums{local_sum(), vote ? 1.0 : 0.0};
    const Span span(stream_.track(), Phase::reduce, "sum");
    if (world_.size() > 1) {
        allreduce_->run(sums);
    }
    return {sums[0], sums[1] > 0};
}

double NativeLoop::first_residual_dot() {
    dot(state_.residual, state_.residual);
    return sum().first;
}

bool NativeLoop::run_unobserved(std::span<double> history, std::int64_t end) {
    if (is_resident_) {
        share_->iterate(state_, history, end);
    }
    return is_resident_;
}

// Gathers all of p by way of r's memory.
void NativeLoop::begin() {
    beta_.reset();
    if (!gather_) {
        return;
    }
    const device::View<double> kept = product_.view();
    device_.copy(device::as_bytes(state_.residual), device::as_bytes(kept), stream_);
    const auto all = gather_by_residual(state_.direction);
    device_.copy(device::as_bytes(all), device::as_bytes(direction_.view()), stream_);
    device_.copy(device::as_bytes(kept), device::as_bytes(state_.residual), stream_);
}

// The paper's iteration (VI.C), after Hestenes and Stiefel (1952): two sums, one after the other.
bool NativeLoop::iterate(bool wants_stop) {
    auto& [x, r, p, residual_dot, alpha, done, breakdown] = state_;
    const device::View<double> product = product_.view();
    if (gather_ && beta_) {
        update_remote_direction();
    }
    multiply_and_dot();
    alpha = next_alpha(state_, sum().first);
    update(device_, alpha, {p, product, x, r}, sum_.view(), stream_);
    const double before = residual_dot;
    const auto [new_dot, stop] = sum(wants_stop);
    residual_dot = new_dot;
    beta_ = beta_of(residual_dot, before, alpha);
    device_.vectors().xpay(r, *beta_, p, stream_);
    return stop;
}

void NativeLoop::multiply_and_dot() {
    multiply_(stream_);
    if (reduce_) {
        reduce_->run(stream_);
        dot_(stream_);
    }
}

// p = r + beta p in the rows of other ranks, as they compute it.
void NativeLoop::update_remote_direction() {
    gather_->run(stream_);
    const device::View<const double> r = gathered_.view();
    const device::View<double> p = direction_.view();
    const auto [begin, end] = rows_;
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
    return gathered_.view();
}

}  // namespace

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
    return std::make_unique<NativeLoop>(arena, session, transport, problem);
}

}  // namespace quartet::cg
