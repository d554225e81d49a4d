#pragma once

#include <algorithm>
#include <array>

#include "bench/program/buffer_plan.hpp"
#include "cg/rank_context.hpp"

namespace quartet::cg {

/// A few sums over all rows: each rank's share comes from its device, and shares are added in rank
/// order.
class JointSums {
  public:
    static constexpr std::int64_t most = 2;

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

    /// Borrows what the context borrows. Collective.
    JointSums(const RankContext& context, const Buffer& buffer)
        : world_(context.world),
          stream_(context.stream),
          values_(allocate(buffer, context.device)) {
        std::array<double, most + 1> first{};
        world_.sum(first);  // so that later sums allocate nothing
    }

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
        world_.sum(sums);
        Agreed<count> agreed;
        std::copy_n(sums.begin(), count, agreed.sums.begin());
        agreed.any = sums.back() > 0;
        return agreed;
    }

  private:
    const comm::Communicator& world_;
    device::Stream& stream_;
    device::Buffer<double> values_;
};

}  // namespace quartet::cg
