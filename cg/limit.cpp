#include <algorithm>

#include "cg/case.hpp"
#include "device/blas.hpp"

namespace quartet::cg {

Limit::Limit(device::Arena& arena, bench::Session& session, comm::Transport& transport,
             const Problem& problem, const comm::Roles& roles, MatrixShare* share)
    : session_(session),
      problem_(problem),
      roles_(roles),
      arithmetic_(session.device(), share != nullptr ? bench::ArithmeticLimit::Part::computes
                                                     : bench::ArithmeticLimit::Part::waits) {
    if (share != nullptr && !share->storage().empty()) {
        probe_.emplace(arena, share->storage());
        x_ = arena.make<double>(problem.size);
        y_ = arena.make<double>(problem.size);
        add_products(*share);
    }
    if (roles.reducers() == 0) {
        return;
    }
    if (transport.traits().receive == comm::Receive::copied) {
        link_.emplace(arena, transport, session.world(), roles.worker_rank(0),
                      roles.reducer_rank(0), bytes_of<double>(problem.largest_rows(roles)));
        return;
    }
    for (device::Buffer<double>& buffer : copied_) {
        buffer = arena.make<double>(problem.size, device::MemoryKind::pinned);
    }
    copy_.emplace(session.device(), copied_[0].view(), copied_[1].view());
}

void Limit::add_products(MatrixShare& share) {
    const std::int64_t size = problem_.size;
    const std::int64_t rows = problem_.storage == Storage::symmetric
                                  ? size
                                  : problem_.rows(roles_, session_.world().rank()).size();
    const device::View<const double> x = x_.view();
    const device::View<double> y = y_.view();
    probe_->add_way("the product", [&share, x, y = y.part(0, rows)](device::Stream& stream) {
        share.multiply(x, y, stream);
    });
    // The same memory as a row-major matrix; less than a row at its end is left out.
    const std::int64_t whole = std::min(share.storage().size() / size, size);
    probe_->add_way("gemv", [this, whole, size, x, y = y.part(0, whole),
                             elements = share.storage().part(0, whole * size)](auto& stream) {
        session_.device().blas().gemv(whole, size, elements, x, y, stream);
    });
}

std::vector<bench::LimitComponent> Limit::measure() {
    const comm::Communicator& world = session_.world();
    device::Stream& stream = session_.stream();
    if (passes_ == 0) {
        world.barrier();  // before the ranks measure: they share the machine's memory
        passes_ = 1;
        if (probe_) {
            const Seconds pass = probe_->measure(1, stream);
            passes_ = bench::passes_in(bench::probe_time_beside(problem_.iterations * pass), pass);
        }
        way_ = bench::summarise_over_ranks(probe_ ? probe_->way() : "", world);
    }
    double rate = 0;
    if (probe_) {
        rate =
            static_cast<double>(probe_->traffic().value) / probe_->measure(passes_, stream).value;
    }
    const bench::Work work = problem_.work(1);  // of all ranks together
    const double seconds = static_cast<double>(work.bytes.value) / world.sum(rate);
    std::vector<bench::LimitComponent> found{{"reading the matrix", {seconds}}};
    found.front().way = way_;
    found.push_back(arithmetic_.measure(work.flops, world, stream));
    if (roles_.reducers() > 0) {
        if (session_.device().memory_kind() == device::MemoryKind::host) {
            found.front().extend(roles_.workers(), world.size());
        }
        found.push_back({"taking in p", {world.maximum(intake().value)}});
    }
    return found;
}

Seconds Limit::intake() {
    constexpr int passes = 16;
    const Seconds once = link_ ? roles_.workers() * link_->measure(passes, session_.stream())
                               : copy_->measure(passes, session_.stream());
    const bool reduces = roles_.of(session_.world().rank()) == comm::Role::reducer;
    return reduces ? problem_.iterations * once : Seconds{};
}

}  // namespace quartet::cg
