#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "cg/problem/rank_context.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::cg {

/// A few sums over all rows: each rank's share comes from its device, and shares are added in rank
/// order.
class JointSums {
  public:
    static constexpr int most = 2;

    /// Sums, and whether any rank has voted.
    template <std::size_t count>
    struct Agreed {
        std::array<double, count> sums;
        bool any;
    };

    /// `values`, `most` of them, lie where the device can write and the CPU can read. Borrows them,
    /// the transport and what the context borrows. Collective.
    JointSums(const RankContext& context, device::View<double> values, comm::Transport& transport)
        : stream_(context.stream),
          values_(values),
          sum_(transport.prepare_ordered_sum(context.world, most + 1)) {}

    /// The place to which the device writes this rank's share of sum `index`.
    [[nodiscard]] device::View<double> share(std::int64_t index) const {
        return values_.part(index, 1);
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
    device::View<double> values_;
    std::unique_ptr<comm::OrderedSum> sum_;
};

}  // namespace quartet::cg
