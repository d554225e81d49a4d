#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "bench/session/buffer_plan.hpp"
#include "cg/rank_context.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::cg {

/// A few sums over all rows: each rank's share comes from its device, and shares are added in rank
/// order.
class JointSums {
  public:
    static constexpr int most = 2;

    /// Memory that the device can write and the CPU can read.
    using Buffer = bench::PlannedBuffer<double>;
    static Buffer buffer(bench::BufferPlan& plan) {
        return plan.add<double>(most, bench::Room::host);
    }

    /// Sums, and whether any rank has voted.
    template <std::size_t count>
    struct Agreed {
        std::array<double, count> sums;
        bool any;
    };

    /// Borrows the transport and what the context borrows. Collective.
    JointSums(const RankContext& context, const Buffer& buffer, comm::Transport& transport)
        : stream_(context.stream),
          values_(allocate(buffer, context.device)),
          sum_(transport.prepare_ordered_sum(context.world, most + 1)) {}

    /// Where the device writes this rank's share of sum `index`.
    [[nodiscard]] device::View<double> share(std::int64_t index) {
        return values_.view().part(index, 1);
    }

    /// The first `count` sums, and this rank's vote beside them, in one reduction. Collective.
    template <std::size_t count>
    [[nodiscard]] Agreed<count> sum(bool vote = false) {
        stream_.synchronize();
        const Span span(stream_.track(), Phase::reduce, "sum");
        std::array<double, count + 1> sums;
        std::copy_n(values_.span().begin(), count, sums.begin());
        sums.back() = vote ? 1 : 0;
        sum_->run(sums);
        Agreed<count> agreed;
        std::copy_n(sums.begin(), count, agreed.sums.begin());
        agreed.any = sums.back() > 0;
        return agreed;
    }

  private:
    device::Stream& stream_;
    device::Buffer<double> values_;
    std::unique_ptr<comm::OrderedSum> sum_;
};

}  // namespace quartet::cg
