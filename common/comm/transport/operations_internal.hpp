#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comm/transport/transport.hpp"
#include "system/memory/page.hpp"

/// What the files of transport/ share; not for other folders. The functions make_* are collective,
/// but local while the arena plans. What they make borrows the transport.
namespace quartet::comm {

inline std::size_t index(std::int64_t number) {
    return static_cast<std::size_t>(number);
}

/// Calls `work` with consecutive parts of `data`, of at most `largest` bytes; once if it is empty.
template <typename Byte, typename Work>
void for_parts(device::View<Byte> data, std::int64_t largest, Work work) {
    std::int64_t first = 0;
    do {
        const std::int64_t size = std::min(largest, data.size() - first);
        work(data.part(first, size));
        first += size;
    } while (first < data.size());
}

/// Messages without data, which say that everything so far has been used.
void acknowledge(int to, int lane, const Communicator& comm);
void await_acknowledgement(int from, int lane, const Communicator& comm);

/// How a vector is cut: into pieces of one size, the last of which may be shorter. Piece numbers go
/// on if the vector is sent again: piece count() is the first piece once more.
struct Cut {
    std::int64_t size = 0;
    std::int64_t piece = 1;

    [[nodiscard]] std::int64_t count() const { return (size + piece - 1) / piece; }
    [[nodiscard]] std::int64_t first(std::int64_t number) const { return number % count() * piece; }
    [[nodiscard]] std::int64_t length(std::int64_t number) const {
        return std::min(piece, size - first(number));
    }
};

/// Moves a vector from each of several ranks to one, in pieces: the receiver can use one while the
/// next one comes.
class Pieces {
  public:
    virtual ~Pieces() = default;
    /// On a sender: sends its source `times` times; returns when the receiver has used all.
    virtual void send(int times, device::Stream& stream) = 0;
    /// On the receiver: begins to receive each sender's source `times` times.
    virtual void begin(int times, device::Stream& stream) = 0;
    /// take() waits for the next piece of a sender (an index); used() says that the stream's work
    /// so far has used it. Both are called in turn for each sender, cut().count() times for each
    /// vector; the receiver may go from sender to sender in between. Local.
    [[nodiscard]] virtual device::View<const std::byte> take(std::size_t sender) = 0;
    virtual void used(std::size_t sender) = 0;
    /// On the receiver: everything has been used.
    virtual void end(device::Stream& stream) = 0;

    [[nodiscard]] virtual Cut cut() const = 0;
};

std::unique_ptr<Pieces> make_message_pieces(device::Arena& arena, Transport& transport,
                                            const PushPlan& plan);
std::unique_ptr<Pieces> make_in_place_pieces(device::Arena& arena, Transport& transport,
                                             const PushPlan& plan);

std::unique_ptr<Exchange> make_message_exchange(device::Arena& arena, Transport& transport,
                                                const ExchangePlan& plan);
std::unique_ptr<Exchange> make_in_place_exchange(device::Arena& arena, Transport& transport,
                                                 const ExchangePlan& plan);

std::unique_ptr<PayloadChannel> make_message_payloads(device::Arena& arena, Transport& transport,
                                                      const PayloadChannelPlan& plan);
std::unique_ptr<PayloadChannel> make_in_place_payloads(device::Arena& arena, Transport& transport,
                                                       const PayloadChannelPlan& plan);

/// A number in shared memory, which one rank raises and others wait for.
using SharedFlag = std::atomic<std::int64_t>;

/// A rank's shares of the last two sums, each beside the sum's number; zero before the first sum.
struct SharedShares {
    struct alignas(system::line_spacing) Line {
        SharedFlag sum{0};
        std::array<double, 7> values{};
    };
    std::array<Line, 2> lines;
};

/// Each rank writes its shares and the number of the sum to its own cache line, and reads those of
/// the others, all in rank order. Two lines are used in turn: a rank that writes its line for sum n
/// has read all ranks' numbers n - 1. A rank writes n - 1 only after it has read all shares of sum
/// n - 2, which were in this line: it is free again.
class SharedSum {
  public:
    /// `all` by rank, as this process sees them. Borrows them. Local.
    SharedSum(SharedShares& mine, std::vector<const SharedShares*> all)
        : mine_(mine), all_(std::move(all)) {}
    void run(std::span<double> values);

  private:
    SharedShares& mine_;
    std::vector<const SharedShares*> all_;
    std::int64_t sums_ = 0;  ///< so far
};
std::unique_ptr<DeterministicAllreduce> make_in_place_allreduce(const device::Arena& arena,
                                                                Transport& transport, int most);

}  // namespace quartet::comm
