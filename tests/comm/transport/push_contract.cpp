#include <numeric>

#include "comm/transport/transport_contract.hpp"

namespace quartet::comm {

namespace {

// Small whole numbers, so that every sum below is exact in float32; no two neighbours and no two
// ranks have the same ones.
std::vector<float> pushed_by(int sender, std::int64_t elements) {
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (std::size_t index = 0; index < values.size(); ++index) {
        values[index] = static_cast<float>((7 * index + 3 * static_cast<std::size_t>(sender)) % 13);
    }
    return values;
}

std::vector<float> at_first(std::int64_t elements) {
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (std::size_t index = 0; index < values.size(); ++index) {
        values[index] = static_cast<float>(index % 5) - 2;
    }
    return values;
}

std::vector<float> sums(const PushPlan& plan, std::int64_t elements, int pushes) {
    std::vector<float> values = at_first(elements);
    for (const int sender : plan.senders) {
        const std::vector<float> pushed = pushed_by(sender, elements);
        for (std::size_t index = 0; index < values.size(); ++index) {
            values[index] += static_cast<float>(pushes) * pushed[index];
        }
    }
    return values;
}

}  // namespace

/// One plan, its vectors and what must come of it. All members are collective.
class PushTrial {
  public:
    PushTrial(Transport& transport, device::Device& device, int rank, std::vector<int> senders,
              int receiver, std::int64_t elements)
        : device_(device),
          sends_(std::ranges::find(senders, rank) != senders.end()),
          receives_(rank == receiver),
          elements_(elements),
          rank_(rank),
          arena_(device, device::Arena::Mode::allocate),
          source_(allocate<float>(arena_, transport, sends_ ? elements : 0)),
          target_(allocate<float>(arena_, transport, receives_ ? elements : 0)),
          plan_{std::move(senders), receiver, source_.view(), target_.view()} {
        if (sends_) {
            write_values(device, pushed_by(rank, elements), source_.view());
        }
        if (receives_) {
            write_values(device, at_first(elements), target_.view());
        }
        push_ = transport.prepare_push(arena_, plan_);
    }

    void run(int count, device::Stream& stream) {
        push_->run(count, stream);
        pushes_ += count;
    }

    void expect_sums() const {
        if (receives_) {
            EXPECT_EQ(read_values(device_, std::as_const(target_).view()),
                      sums(plan_, elements_, pushes_));
        }
        if (sends_) {
            EXPECT_EQ(read_values(device_, std::as_const(source_).view()),
                      pushed_by(rank_, elements_))
                << "the source";
        }
    }

    [[nodiscard]] bool sends() const { return sends_; }
    [[nodiscard]] bool receives() const { return receives_; }
    device::View<float> source() { return source_.view(); }
    device::View<float> target() { return target_.view(); }

  private:
    device::Device& device_;
    bool sends_;
    bool receives_;
    std::int64_t elements_;
    int rank_;
    device::Arena arena_;
    device::Buffer<float> source_;
    device::Buffer<float> target_;
    PushPlan plan_;
    std::unique_ptr<Push> push_;
    int pushes_ = 0;
};

namespace {

std::vector<int> all_but(int receiver, int ranks) {
    std::vector<int> senders(static_cast<std::size_t>(ranks));
    std::iota(senders.begin(), senders.end(), 0);
    std::erase(senders, receiver);
    return senders;
}

// Where chunks begin and end: nothing, less than a cache line, less than a chunk, and some chunks
// with a rest.
std::vector<std::int64_t> interesting_sizes(Bytes chunk) {
    const auto elements = chunk.value / static_cast<std::int64_t>(sizeof(float));
    return {0, 1, 3, 255, 3 * elements, 3 * elements + 5};
}

}  // namespace

TEST_P(PushContract, AddsEverySendersVectorToTheReceivers) {
    for (const std::int64_t elements : interesting_sizes(GetParam().settings.chunk)) {
        PushTrial trial(*transport, *device, rank, all_but(0, size), 0, elements);
        trial.run(2, *stream);
        trial.expect_sums();
    }
}

TEST_P(PushContract, AnyRankMayReceive) {
    for (int receiver = 0; receiver < size; ++receiver) {
        PushTrial trial(*transport, *device, rank, all_but(receiver, size), receiver, 1001);
        trial.run(1, *stream);
        trial.expect_sums();
    }
}

TEST_P(PushContract, RunsAgainAndAgain) {
    PushTrial trial(*transport, *device, rank, all_but(0, size), 0, 4321);
    for (const int count : {1, 4, 0, 2}) {
        trial.run(count, *stream);
        trial.expect_sums();
        world.barrier();  // the receiver has looked before the next ones arrive
    }
}

TEST_P(PushContract, FollowsTheStreamsEarlierWork) {
    constexpr std::int64_t elements = 2000;
    const std::vector<float> source = pushed_by(rank, elements);
    const std::vector<float> target = at_first(elements);
    PushTrial trial(*transport, *device, rank, all_but(0, size), 0, elements);
    if (trial.sends()) {
        write(std::vector<float>(elements), trial.source());
        fill_late(source, trial.source());
    }
    if (trial.receives()) {
        fill_late(target, trial.target());
    }
    trial.run(1, *stream);
    trial.expect_sums();
    stream->synchronize();
}

}  // namespace quartet::comm
