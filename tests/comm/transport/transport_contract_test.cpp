#include "comm/transport/transport_contract.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <numeric>

#include "core/message_of.hpp"

namespace quartet::comm {

namespace {

using testing::HasSubstr;

std::string parameter_name(const testing::TestParamInfo<TransportParameter>& info) {
    return info.param.name;
}

const auto all_parameters = testing::ValuesIn(contract_parameters());

bool aligned(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 64 == 0;
}

}  // namespace

std::vector<TransportParameter> parameters_over(const DeviceChoice& device,
                                                device::MemoryKind memory,
                                                const std::string& suffix) {
    const TransportSettings defaults;
    const TransportRegistry registry = TransportRegistry::standard();
    std::vector<TransportParameter> parameters;
    for (const std::string& name : registry.names()) {
        const TransportTraits& traits = registry.traits(name);
        if (!traits.moves(memory)) {
            continue;
        }
        const auto add = [&](const char* kind, const TransportSettings& settings) {
            parameters.push_back(
                {fmt::format("{}{}{}", name, kind, suffix), name, settings, device});
        };
        add("", defaults);
        if (traits.reach == Reach::all_nodes) {  // they cut what they send into chunks
            add("_small_chunks", {kibibytes(64)});
            add("_tiny_chunks", {{1000}});
            add("_whole", {defaults.chunk, Pipeline::off});
        }
    }
    return parameters;
}

INSTANTIATE_TEST_SUITE_P(Transports, MemoryOfTransport, all_parameters, parameter_name);
INSTANTIATE_TEST_SUITE_P(Transports, PushContract, all_parameters, parameter_name);
INSTANTIATE_TEST_SUITE_P(Transports, ExchangeContract, all_parameters, parameter_name);

TEST_P(MemoryOfTransport, IsAlignedToCacheLinesAndZeroed) {
    for (int round = 0; round < 2; ++round) {
        for (const std::int64_t bytes : {1, 63, 64, 4096, 100001}) {
            device::Allocation memory = transport->allocate({bytes + rank});

            EXPECT_TRUE(aligned(memory.data.get()));
            EXPECT_GE(memory.size.value, bytes + rank);
            const device::View<std::byte> view(memory.data.get(), bytes + rank, memory.kind);
            EXPECT_EQ(read(device::View<const std::byte>(view)),
                      std::vector(static_cast<std::size_t>(view.size()), std::byte{0}))
                << bytes << " bytes, round " << round;
            write(std::vector(static_cast<std::size_t>(view.size()), std::byte{255}),
                  view);  // for who gets it next
        }
    }
}

// One rank plans, and waits for no other. Then all make the same, which takes as much.
TEST_P(TransportContract, PlannedOperationsTakeWhatMadeOnesTake) {
    constexpr std::int64_t count = 1000;
    const auto make_all = [&](device::Arena& memory) {
        const std::vector<std::int64_t> counts(static_cast<std::size_t>(size), count);
        const auto vector = allocate<double>(memory, *transport, size * count);
        const auto values = std::as_const(vector).view();
        auto all = memory.make<double>(size * count);
        auto floats = allocate<float>(memory, *transport, count);
        PushPlan push{.senders = {},
                      .receiver = size - 1,
                      .source = std::as_const(floats).view(),
                      .target = floats.view()};
        for (int sender = 0; sender + 1 < size; ++sender) {
            push.senders.push_back(sender);
        }
        const std::vector<std::int64_t> sizes(counts.size(), bytes_of<double>(count).value);
        ExchangePlan exchange{.send = {}, .receive = sizes};
        for (const auto& part : consecutive(values, counts)) {
            exchange.send.push_back(device::as_bytes(part));
        }
        const auto pushes = transport->prepare_push(memory, push);
        const auto gathers = transport->prepare_all_gather(
            memory, {device::as_bytes(values.part(0, count)), device::as_bytes(all.view()), sizes});
        const auto scatters =
            transport->prepare_reduce_scatter(memory, {values, all.view().part(0, count), counts});
        const auto exchanges = transport->prepare_exchange(memory, exchange);
        EXPECT_EQ(exchanges->parts()[0].bytes(), bytes_of<double>(count));
        const auto payloads = transport->prepare_payload_channel(
            memory, {.outgoing = 2, .incoming = 3, .largest = kibibytes(100)});
        return memory.needs();
    };
    device::Arena plan(*device, device::Arena::Mode::plan);
    device::MemoryNeeds planned;
    if (rank == 0) {
        planned = make_all(plan);
    }
    world.barrier();
    const device::MemoryNeeds made = make_all(*arena);
    if (rank == 0) {
        EXPECT_EQ(made, planned);
        EXPECT_GT(made.host + made.device, Bytes{0});
    }
}

// Every round has numbers of its own; in some of them one rank comes late.
TEST_P(TransportContract, SumsInRankOrder) {
    constexpr int rounds = 1000;
    const auto sum = transport->prepare_allreduce(*arena, 3);
    for (int round = 0; round < rounds; ++round) {
        // Not the same in any other order of additions.
        const double large = rank % 3 == 0 ? 1e16 : rank % 3 == 1 ? 1 : -1e16;
        std::array<double, 3> values{large + round, 0.1 * (rank + 1) * round,
                                     rank == round % (2 * size) ? 1.0 : 0.0};
        std::array<double, 3> expected{};
        for (int other = 0; other < size; ++other) {
            const double theirs = other % 3 == 0 ? 1e16 : other % 3 == 1 ? 1 : -1e16;
            expected[0] += theirs + round;
            expected[1] += 0.1 * (other + 1) * round;
            expected[2] += other == round % (2 * size) ? 1.0 : 0.0;
        }
        if (round % 100 == 0 && rank == round / 100 % size) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }

        sum->run(values);

        ASSERT_EQ(values, expected) << "round " << round;
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, TransportContract, testing::ValuesIn([] {
                             auto some = contract_parameters();
                             std::erase_if(some, [](const TransportParameter& parameter) {
                                 return parameter.name != parameter.transport;
                             });
                             return some;
                         }()),
                         parameter_name);

}  // namespace quartet::comm
