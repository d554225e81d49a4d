#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <queue>

#include "comm/mpi/control_channel.hpp"
#include "comm/transport/transport_contract.hpp"
#include "core/message_of.hpp"

namespace quartet::comm {

namespace {

constexpr int outgoing_slots = 3;
constexpr int announced = 0;

// Different for each sender and each of its payloads, and nowhere the same after any few bytes.
std::vector<std::byte> payload_of(int sender, std::int64_t number, std::int64_t bytes) {
    std::vector<std::byte> values(static_cast<std::size_t>(bytes));
    for (std::size_t index = 0; index < values.size(); ++index) {
        values[index] = static_cast<std::byte>(
            (index * 31 + index / 251 + static_cast<std::size_t>(5 * sender + 3 * number)) % 256);
    }
    return values;
}

}  // namespace

/// Rank 0 receives what the others send, all slots at a time.
class PayloadTrial {
  public:
    PayloadTrial(device::Arena& arena, Transport& transport, const Communicator& world,
                 Bytes largest, PayloadReading reading,
                 PayloadValues values = PayloadValues::differ)
        : control_(world),
          rank_(world.rank()),
          senders_(world.size() - 1),
          channel_(transport.prepare_payload_channel(
              arena, {.outgoing = rank_ > 0 ? outgoing_slots : 0,
                      .incoming = rank_ > 0 ? 0 : outgoing_slots * senders_,
                      .largest = largest,
                      .reading = reading,
                      .values = values})) {}

    PayloadChannel& channel() { return *channel_; }

    void send(int slot, std::int64_t bytes) {
        std::ranges::copy(payload_of(rank_, slot, bytes), channel_->outgoing(slot).span().begin());
        announce(slot, bytes);
    }
    /// What the slot holds already.
    void announce(int slot, std::int64_t bytes) {
        const PayloadDescriptor descriptor = channel_->send(slot, {bytes}, 0);
        control_.send(0, announced, std::as_bytes(std::span(&descriptor, 1)));
    }
    PayloadDescriptor next_announced(int from) {
        while (announced_[from].empty()) {
            if (const auto message = control_.poll()) {
                std::memcpy(&announced_[message->source].emplace(), message->payload.data(),
                            sizeof(PayloadDescriptor));
            }
        }
        const PayloadDescriptor descriptor = announced_[from].front();
        announced_[from].pop();
        return descriptor;
    }
    /// One payload after another of each sender; whatever is read of it, by `read(slot)`.
    template <typename Read>
    void receive(const std::vector<std::int64_t>& sizes, Read read) {
        for (int slot = 0; slot < outgoing_slots * senders_; ++slot) {
            const int from = 1 + slot % senders_;
            channel_->fetch(slot, from, next_announced(from));
        }
        for (int slot = outgoing_slots * senders_ - 1; slot >= 0; --slot) {  // the last one first
            const int number = slot / senders_;
            EXPECT_EQ(read(slot), payload_of(1 + slot % senders_, number,
                                             sizes[static_cast<std::size_t>(number)]))
                << sizes[static_cast<std::size_t>(number)] << " bytes";
            channel_->finish(slot);
        }
    }

  private:
    ControlChannel control_;
    std::map<int, std::queue<PayloadDescriptor>> announced_;  ///< by sender
    int rank_;
    int senders_;
    std::unique_ptr<PayloadChannel> channel_;
};

class PayloadContract : public TransportContract {
  protected:
    /// Payloads of each round: those of which a piece is longer, as long, and shorter.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> rounds() const {
        const std::int64_t piece = GetParam().settings.chunk.value / 64 * 64;
        return {{1, 0, piece - 1}, {piece, piece + 1, 2 * piece}, {3 * piece + 100, 0, 63}};
    }
    [[nodiscard]] Bytes largest() const { return {rounds().back().front()}; }

    /// Sends the rounds' payloads to rank 0, which reads each by `read(channel, slot)`.
    template <typename Read>
    void move(PayloadReading reading, Read read) {
        PayloadTrial trial(*arena, *transport, world, largest(), reading);
        for (const auto& sizes : rounds()) {
            if (rank == 0) {
                trial.receive(sizes, [&](int slot) { return read(trial.channel(), slot); });
            } else {
                for (int slot = 0; slot < outgoing_slots; ++slot) {
                    trial.send(slot, sizes[static_cast<std::size_t>(slot)]);
                }
            }
            world.barrier();  // rank 0 is done with them
            for (int slot = 0; rank > 0 && slot < outgoing_slots; ++slot) {
                trial.channel().release(slot);
            }
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Transports, PayloadContract, testing::ValuesIn(contract_parameters()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(PayloadContract, BringsWholePayloads) {
    move(PayloadReading::whole, [](PayloadChannel& channel, int slot) {
        const auto payload = channel.contents(slot);
        EXPECT_EQ(channel.contents(slot).data(), payload.data()) << "the second time";
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload.data()) % 64, 0U);
        channel.read(slot, [&](std::int64_t first, const device::View<const std::byte>& piece) {
            EXPECT_EQ(first, 0);
            EXPECT_EQ(piece.data(), payload.data());
            EXPECT_EQ(piece.size(), payload.size());
        });
        const auto bytes = payload.span();
        return std::vector(bytes.begin(), bytes.end());
    });
}

TEST_P(PayloadContract, BringsPiecesInOrder) {
    move(PayloadReading::in_pieces, [](PayloadChannel& channel, int slot) {
        std::vector<std::byte> payload;
        channel.read(slot, [&](std::int64_t first, const device::View<const std::byte>& piece) {
            EXPECT_EQ(first, std::ssize(payload));
            EXPECT_GT(piece.size(), 0);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.data()) % 64, 0U);
            const auto bytes = piece.span();
            payload.insert(payload.end(), bytes.begin(), bytes.end());
        });
        return payload;
    });
}

TEST_P(PayloadContract, BringsWhatIsTheSameInAllSlots) {
    PayloadTrial trial(*arena, *transport, world, largest(), PayloadReading::whole,
                       PayloadValues::same);
    for (int slot = 0; rank > 0 && slot < outgoing_slots; ++slot) {
        std::ranges::copy(payload_of(rank, 0, largest().value),
                          trial.channel().outgoing(slot).span().begin());
    }
    for (int slot = 0; rank > 0 && slot < outgoing_slots; ++slot) {
        trial.announce(slot, largest().value - slot);
    }
    const int all = outgoing_slots * (size - 1);
    for (int slot = 0; rank == 0 && slot < all; ++slot) {
        const int from = 1 + slot / outgoing_slots;
        trial.channel().fetch(slot, from, trial.next_announced(from));
    }
    for (int slot = 0; rank == 0 && slot < all; ++slot) {
        const auto expected =
            payload_of(1 + slot / outgoing_slots, 0, largest().value - slot % outgoing_slots);
        EXPECT_TRUE(std::ranges::equal(trial.channel().contents(slot).span(), expected)) << slot;
        trial.channel().finish(slot);
    }
    world.barrier();
    for (int slot = 0; rank > 0 && slot < outgoing_slots; ++slot) {
        trial.channel().release(slot);
    }
}

/// Of pieces so small that MPI takes those that nobody waits for.
class PayloadInMessages : public PayloadContract {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PayloadInMessages);
INSTANTIATE_TEST_SUITE_P(Transports, PayloadInMessages, testing::ValuesIn([] {
                             auto some = contract_parameters();
                             std::erase_if(some, [](const TransportParameter& parameter) {
                                 return !parameter.name.starts_with("mpi_tiny_chunks");
                             });
                             return some;
                         }()),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(PayloadInMessages, FailWhereTheirSizesAreNotAsAnnounced) {
    const std::int64_t piece = GetParam().settings.chunk.value / 64 * 64;
    for (const std::int64_t sent : {2 * piece, 2 * piece + 10}) {
        for (const std::int64_t more : {std::int64_t{1}, std::int64_t{-1}, piece, -piece}) {
            PayloadTrial trial(*arena, *transport, world, {4 * piece}, PayloadReading::in_pieces);
            if (rank > 0) {
                trial.send(0, sent);
            }
            for (int from = 1; rank == 0 && from < size; ++from) {
                PayloadDescriptor descriptor = trial.next_announced(from);
                descriptor.size += more;
                EXPECT_NE(message_of<Failure>([&] {
                              trial.channel().fetch(from - 1, from, descriptor);
                              trial.channel().read(from - 1, [](std::int64_t, const auto&) {});
                          }),
                          "")
                    << sent << " bytes, and " << more << " more";
            }
            world.barrier();
        }
    }
}

}  // namespace quartet::comm
