#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/transport/transport_traits.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

/// Plans, and prepared operations that allocate nothing when they run.
namespace quartet::comm {

/// A push as the paper's STREAM has it: every sender's vector is added to the receiver's.
struct PushPlan {
    std::vector<int> senders;  ///< ranks, ascending, without the receiver
    int receiver = 0;
    device::View<const float> source;  ///< on a sender: what it pushes; from Transport::allocate
    device::View<float> target;  ///< on the receiver: what is added to; from Transport::allocate

    [[nodiscard]] bool sends(int rank) const { return std::ranges::binary_search(senders, rank); }
};

/// A prepared push: windows, staging memory and handles are there, so that running it allocates
/// nothing.
class Push {
  public:
    virtual ~Push() = default;

    /// `count` pushes, one after another: each reads every sender's source once and updates the
    /// target once. On the receiver, `stream` orders the additions. Returns on a sender when the
    /// last addition of its vector has been acknowledged, on the receiver when all are done.
    /// Collective over senders and receiver; others return at once.
    virtual void run(int count, device::Stream& stream) = 0;
};

/// A prepared operation of all ranks: its counts are agreed and its memory is there, so that
/// running it allocates nothing.
class Collective {
  public:
    virtual ~Collective() = default;
    /// Collective.
    virtual void run(device::Stream& stream) = 0;
};

/// Where the caller's ordered sums over the same ranks (OrderedSum), each after its stream was
/// synchronised, lie beside the runs of a collective. Ranks that read each other's memory then need
/// not wait for each other again.
struct CallersSums {
    bool before = false;  ///< one between every rank's last write of what is read and a run
    bool after = false;   ///< one between a run and every rank's next such write
};

/// Every rank's part, everywhere: rank r's counts[r] bytes go to `all`, at the sum of the counts
/// before them.
struct AllGatherPlan {
    device::View<const std::byte> mine;  ///< from Transport::allocate
    device::View<std::byte> all;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
    CallersSums sums{};                ///< beside writes to `mine`
};

/// Sums over the ranks: rank r gets, in `mine`, the counts[r] elements of the sum of all
/// contributions that begin at the sum of the counts before them. The same ranks and counts give
/// the same bits.
struct ReduceScatterPlan {
    device::View<const double> contribution;  ///< from Transport::allocate
    device::View<double> mine;
    std::vector<std::int64_t> counts;  ///< by rank, the same on all ranks
    CallersSums sums{};                ///< beside writes to `contribution`
};

/// Part r of `send`, counts[r] bytes, goes to rank r.
struct ExchangePlan {
    device::View<const std::byte> send;  ///< from Transport::allocate
    std::vector<std::int64_t> counts;    ///< by receiving rank
};

/// A prepared all-to-all.
class Exchange : public Collective {
  public:
    [[nodiscard]] virtual PartLocation location() const = 0;
    /// The part from each rank, by rank. Its data is there for the stream's work after run(), until
    /// release(); the place stays the same in every run.
    [[nodiscard]] virtual std::span<const device::View<const std::byte>> parts() const = 0;
    /// Says that the stream's work so far is the last that reads the parts: afterwards `send` may
    /// be written to again. Collective.
    virtual void release(device::Stream& stream) = 0;
};

/// Prepared sums of a few numbers that the CPU has, which running allocates nothing. Shares are
/// added in rank order: the same bits on all ranks, and by every transport.
class OrderedSum {
  public:
    virtual ~OrderedSum() = default;
    /// Makes each value its sum over the ranks; as many on all ranks, at most those planned.
    /// Collective.
    virtual void run(std::span<double> values) = 0;
};

}  // namespace quartet::comm
