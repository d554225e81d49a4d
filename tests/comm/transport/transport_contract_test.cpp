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

const auto all = testing::ValuesIn(contract_parameters());

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

INSTANTIATE_TEST_SUITE_P(Transports, MemoryOfTransport, all, parameter_name);
INSTANTIATE_TEST_SUITE_P(Transports, PushContract, all, parameter_name);
INSTANTIATE_TEST_SUITE_P(Transports, ExchangeContract, all, parameter_name);

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

// Every round has numbers of its own; in some of them one rank comes late.
TEST_P(TransportContract, SumsInRankOrder) {
    constexpr int rounds = 1000;
    const auto sum = transport->prepare_ordered_sum(3);
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
