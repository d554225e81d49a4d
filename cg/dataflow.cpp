#include <array>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

#include "cg/loop.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "flow/broadcast.hpp"
#include "flow/message_dispatcher.hpp"
#include "flow/queue.hpp"

namespace quartet::cg {

namespace {

using Scalars = std::array<double, 3>;
constexpr Bytes scalars_size{sizeof(Scalars)};

Scalars scalars_in(device::View<const std::byte> payload) {
    check(payload.bytes() == scalars_size, "a message has another number of scalars");
    Scalars scalars;
    std::memcpy(scalars.data(), payload.data(), sizeof(scalars));
    return scalars;
}

// A queue from the workers to the reducer.
flow::QueuePlan queue_plan(const comm::Roles& roles, int bound, Bytes largest,
                           flow::DequeueOrder order) {
    return {.owner = roles.reducer_rank(0),
            .pushers = roles.worker_ranks(),
            .bound = bound,
            .largest = largest,
            .order = order,
            .outgoing = 1};
}

/// The paper's reduction (VI.C, Fig. 5) of a few scalars at a time: workers push their values to a
/// queue of the reducer. Each waits for its copy of the result, which comes by another queue.
class Reduction {
  public:
    /// Collective; local while the arena plans. Dispatcher and transport outlive it.
    Reduction(device::Arena& arena, flow::MessageDispatcher& dispatcher, comm::Transport& transport,
              const comm::Roles& roles, int bound)
        : incoming_(arena, dispatcher, transport,
                    queue_plan(roles, bound, scalars_size, flow::DequeueOrder::arrival)),
          outgoing_(arena, dispatcher, transport, roles.reducer_rank(0), roles.worker_ranks(),
                    scalars_size),
          collected_(static_cast<std::size_t>(roles.workers())) {}

    /// On a worker: hands in its scalars, and waits for the reducer's result.
    Scalars exchange(int worker, const Scalars& mine) {
        std::memcpy(incoming_.next().data(), mine.data(), sizeof(mine));
        incoming_.push(worker, scalars_size);
        const Scalars result = scalars_in(outgoing_.receive());
        outgoing_.release();
        return result;
    }
    /// On the reducer: waits for the scalars of all workers, and returns their sums in the workers'
    /// order.
    Scalars collect();
    /// On the reducer: sends the result to all workers.
    void publish(const Scalars& result) {
        const auto bytes = std::as_bytes(std::span(result));
        outgoing_.publish({bytes.data(), std::ssize(bytes), device::MemoryKind::host});
    }
    /// Waits until all that this rank has sent was taken.
    void flush() {
        incoming_.flush();
        outgoing_.flush();
    }

  private:
    flow::Queue incoming_;
    flow::Broadcast outgoing_;
    std::vector<Scalars> collected_;  ///< by worker
};

Scalars Reduction::collect() {
    const int workers = static_cast<int>(collected_.size());
    flow::take(incoming_, workers, workers, [&](const flow::Item& item) {
        collected_.at(static_cast<std::size_t>(item.key)) = scalars_in(item.payload);
    });
    Scalars sums{};
    for (const Scalars& scalars : collected_) {
        for (std::size_t index = 0; index < sums.size(); ++index) {
            sums[index] += scalars[index];
        }
    }
    return sums;
}

/// The paper's data flow (VI.C, Fig. 5). The first rank reduces; each other rank has a block of
/// rows. In an iteration p.Ap goes to the reducer by one queue, and alpha comes back by another;
/// r.r goes by a third, and beta comes back by a fourth. The workers' rows of p go to a queue
/// ordered by worker; the reducer assembles p and sends it whole to each worker: 8 N bytes in, and
/// 8 N out for each worker. The reducer sums in the workers' order, so the order of arrival changes
/// no bit. All ranks have all scalars; the reducer has no rows. Its end waits until nothing that
/// the queues sent is on its way: the last messages of an iteration are received in the next one.
class DataflowLoop final : public CgLoop {
  public:
    /// Collective, as is destroying it, but not while an exception unwinds; local while the arena
    /// plans.
    DataflowLoop(device::Arena& arena, bench::Session& session, comm::Transport& transport,
                 const Problem& problem);
    ~DataflowLoop() override;

    [[nodiscard]] MatrixShare* share() override { return share_.get(); }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    double first_residual_dot() override;
    bool iterate(bool wants_stop) override {
        return share_ ? work(wants_stop) : reduce(wants_stop);
    }
    bool work(bool wants_stop);
    bool reduce(bool wants_stop);
    void assemble_direction();
    device::View<const double> exchange_direction();

    int index_;  ///< among the workers
    flow::MessageDispatcher dispatcher_;
    Reduction curvature_;        ///< p.Ap in, alpha out
    Reduction residual_;         ///< r.r in, beta out
    flow::Queue blocks_;         ///< each worker's rows of p, by worker
    flow::Broadcast direction_;  ///< p
    device::Buffer<double> r_;
    device::Buffer<double> p_;
    std::unique_ptr<MatrixShare> share_;  ///< of a worker
    device::Buffer<double> whole_;        ///< all of p: on the reducer, and on a worker's GPU
    int exceptions_;                      ///< how many were in flight at construction
};

DataflowLoop::DataflowLoop(device::Arena& arena, bench::Session& session,
                           comm::Transport& transport, const Problem& problem)
    : CgLoop(arena, session, problem, bench::Formulation::dataflow),
      index_(roles_.index_of(world_.rank())),
      dispatcher_(arena, world_, &session.trace().track("queue")),
      curvature_(arena, dispatcher_, transport, roles_, session.options().queue),
      residual_(arena, dispatcher_, transport, roles_, session.options().queue),
      blocks_(arena, dispatcher_, transport,
              queue_plan(roles_, session.options().queue,
                         bytes_of<double>(problem.largest_rows(roles_)), flow::DequeueOrder::key)),
      direction_(arena, dispatcher_, transport, roles_.reducer_rank(0), roles_.worker_ranks(),
                 bytes_of<double>(problem.size)),
      r_(arena.make<double>(rows_.size())),
      p_(arena.make<double>(rows_.size())),
      exceptions_(std::uncaught_exceptions()) {
    state_.residual = r_.view();
    state_.direction = p_.view();
    const bool reduces = roles_.of(world_.rank()) == comm::Role::reducer;
    if (!reduces) {
        share_ = make_matrix(arena, row_block());
    }
    if (reduces || device::has_own_memory(device_)) {
        whole_ = arena.make<double>(problem.size,
                                    reduces ? device::MemoryKind::pinned : device_.memory_kind());
    }
}

DataflowLoop::~DataflowLoop() {
    if (std::uncaught_exceptions() > exceptions_) {
        return;
    }
    curvature_.flush();
    residual_.flush();
    blocks_.flush();
    direction_.flush();
}

std::vector<double> DataflowLoop::gather(device::View<const double> rows) {
    const std::vector<double> mine = on_host(rows);
    std::vector<double> all(static_cast<std::size_t>(problem_.size));
    std::vector<std::int64_t> bytes;
    for (int rank = 0; rank < roles_.ranks(); ++rank) {
        bytes.push_back(bytes_of<double>(problem_.rows(roles_, rank).size()).value);
    }
    world_.gather(std::as_bytes(std::span(mine)), bytes, std::as_writable_bytes(std::span(all)));
    return all;
}

double DataflowLoop::first_residual_dot() {
    if (share_) {
        dot(state_.residual, state_.residual);
        return residual_.exchange(index_, {local_sum()})[0];
    }
    const double sum = residual_.collect()[0];
    residual_.publish({sum});
    return sum;
}

// A worker's iteration.
bool DataflowLoop::work(bool wants_stop) {
    auto& [x, r, p, residual_dot, alpha, done, breakdown] = state_;
    const device::View<double> product = product_.view();
    share_->multiply(exchange_direction(), product, stream_);
    dot(p, product);
    const double curvature = local_sum();
    direction_.release();
    {
        const Span span(stream_.track(), Phase::reduce, "alpha");
        alpha = curvature_.exchange(index_, {curvature})[0];
    }
    update(device_, alpha, {p, product, x, r}, sum_.view(), stream_);
    const double own_dot = local_sum();
    const Span span(stream_.track(), Phase::reduce, "beta");
    const auto [beta, new_dot, stop] =
        residual_.exchange(index_, {own_dot, wants_stop ? 1.0 : 0.0});
    residual_dot = new_dot;
    device_.vectors().xpay(r, beta, p, stream_);
    return stop > 0;
}

// Pushes this worker's rows of p, and returns all of p, which stays readable until it is released.
device::View<const double> DataflowLoop::exchange_direction() {
    const auto mine = device::as_bytes(device::View<const double>(state_.direction));
    device_.copy(mine, blocks_.next().part(0, mine.size()), stream_);
    stream_.synchronize();
    const Span span(stream_.track(), Phase::exchange, "direction");
    blocks_.push(index_, mine.bytes());
    const auto received = direction_.receive();
    if (device::has_own_memory(device_)) {
        device_.copy(received, device::as_bytes(whole_.view()), stream_);
        return whole_.view();
    }
    return device::view_as<double>(received);
}

// The reducer's iteration.
bool DataflowLoop::reduce(bool wants_stop) {
    assemble_direction();
    const Span span(stream_.track(), Phase::reduce, "scalars");
    state_.alpha = next_alpha(state_, curvature_.collect()[0]);
    curvature_.publish({state_.alpha});
    const double before = state_.residual_dot;
    const auto [sum, votes, unused] = residual_.collect();
    state_.residual_dot = sum;
    const bool stop = wants_stop || votes > 0;
    residual_.publish({beta_of(sum, before, state_.alpha), sum, stop ? 1.0 : 0.0});
    return stop;
}

// Puts the workers' rows of p together and sends all of p to each worker.
void DataflowLoop::assemble_direction() {
    const Span span(stream_.track(), Phase::merge, "direction");
    const auto direction = device::as_bytes(whole_.view());
    flow::take(blocks_, roles_.workers(), roles_.workers(), [&](const flow::Item& item) {
        const Range rows = problem_.rows(roles_, roles_.worker_rank(static_cast<int>(item.key)));
        check(item.payload.bytes() == bytes_of<double>(rows.size()),
              "a block of p has another size than its rows");
        if (!item.payload.empty()) {
            std::memcpy(direction.data() + bytes_of<double>(rows.begin).value, item.payload.data(),
                        static_cast<std::size_t>(item.payload.size()));
        }
    });
    direction_.publish(device::as_bytes(device::View<const double>(whole_.view())));
}

}  // namespace

std::unique_ptr<CgLoop> make_dataflow_loop(device::Arena& arena, bench::Session& session,
                                           comm::Transport& transport, const Problem& problem) {
    return std::make_unique<DataflowLoop>(arena, session, transport, problem);
}

}  // namespace quartet::cg
