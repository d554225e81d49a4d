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

/// Between operations.cpp and the two files that reach other ranks' data, by messages and in place.
/// Not for others. All that is made is made collectively, but where the arena plans, and borrows
/// the transport.
namespace quartet::comm {

inline std::size_t index(std::int64_t number) {
    return static_cast<std::size_t>(number);
}

/// How a vector is cut: into pieces of one size and a shorter rest. Piece numbers go on if the same
/// vector is sent again: piece count() is the first one once more.
struct Cut {
    std::int64_t size = 0;
    std::int64_t piece = 1;

    [[nodiscard]] std::int64_t count() const { return (size + piece - 1) / piece; }
    [[nodiscard]] std::int64_t first(std::int64_t number) const { return number % count() * piece; }
    [[nodiscard]] std::int64_t length(std::int64_t number) const {
        return std::min(piece, size - first(number));
    }
};

/// A vector from each of several ranks to one, in pieces: one can be used while the next comes.
class Pieces {
  public:
    virtual ~Pieces() = default;
    /// On a sender: sends its source `times` times; returns when the receiver has used all.
    virtual void send(int times, device::Stream& stream) = 0;
    /// On the receiver: begins receiving as often.
    virtual void begin(int times, device::Stream& stream) = 0;
    /// The next piece from that sender (an index), and that it was used, by the stream's work so
    /// far. In all, of each sender, pieces() for each time, one after the other; the receiver may
    /// go from sender to sender in between. Local.
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

/// A rank's shares of the last two sums, each beside its number; zero before the first one.
struct SharedShares {
    struct alignas(system::line_spacing) Line {
        SharedFlag sum{0};
        std::array<double, 7> values{};
    };
    std::array<Line, 2> lines;
};

/// Each rank writes its shares and the number of the sum to its own cache line, and reads those of
/// the others, all in rank order. There are two lines in turn: who writes its line of sum n has
/// acquired all ranks' numbers of sum n - 1. These released them once they had read all of sum
/// n - 2, which was in the same line: it is free again.
class SharedSum {
  public:
    /// `all` by rank, as this one sees them. Borrows them. Local.
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
