#include <gmock/gmock.h>

#include <numeric>

#include "comm/transport/staged/staged_transfer.hpp"
#include "comm/transport/transport_contract.hpp"
#include "device/cuda/cuda_device.hpp"

namespace quartet::comm {
namespace {

using testing::Each;

/// Chunks of a single element, the smallest there are: more of each transfer than the ring has
/// places, over and over. (The contract suites move too much for that.)
class StagedChunks : public testing::Test {
  protected:
    explicit StagedChunks(const TransportSettings& settings = {{1}, Pipeline::on})
        : transport(TransportRegistry::standard().make(
              "staged", {world, topology, *device, trace, settings})) {}

    template <typename T>
    device::Buffer<T> upload(const std::vector<T>& values) {
        auto buffer = allocate<T>(*transport, std::ssize(values));
        write_values(*device, values, buffer.view());
        return buffer;
    }

    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device = device::cuda_device().make({}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("chunks");
    std::unique_ptr<Transport> transport;
};

TEST_F(StagedChunks, AddEachChunkOfAPushAtItsOffset) {
    constexpr int elements = 41;
    std::vector<float> values(elements);
    std::iota(values.begin(), values.end(), 1.0F);
    std::vector<int> senders(static_cast<std::size_t>(size - 1));
    std::iota(senders.begin(), senders.end(), 1);
    auto source = upload(rank > 0 ? values : std::vector<float>());
    auto target = upload(rank == 0 ? std::vector<float>(elements) : std::vector<float>());

    const auto push = transport->prepare_push({senders, 0, source.view(), target.view()});
    push->run(2, *stream);
    push->run(1, *stream);

    if (rank == 0) {
        const auto sums = read_values(*device, std::as_const(target).view());
        for (std::size_t index = 0; index < sums.size(); ++index) {
            EXPECT_EQ(sums[index], 3.0F * static_cast<float>(size - 1) * values[index]) << index;
        }
    }
}

TEST_F(StagedChunks, PutEachChunkOfCollectivesAtItsOffset) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size));
    std::iota(counts.begin(), counts.end(), 17);
    const std::int64_t total = std::reduce(counts.begin(), counts.end());
    const auto mine = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    auto part = upload(std::vector(mine, static_cast<std::byte>(rank + 1)));
    auto all = allocate<std::byte>(*transport, total);
    auto contribution = upload(std::vector<double>(static_cast<std::size_t>(total), rank + 1.0));
    auto sum = allocate<double>(*transport, static_cast<std::int64_t>(mine));

    const auto all_gather = transport->prepare_all_gather({part.view(), all.view(), counts});
    const auto reduce_scatter =
        transport->prepare_reduce_scatter({contribution.view(), sum.view(), counts});
    all_gather->run(*stream);
    reduce_scatter->run(*stream);
    stream->synchronize();

    std::int64_t first = 0;
    for (int from = 0; from < size; ++from) {
        const std::int64_t count = counts[static_cast<std::size_t>(from)];
        EXPECT_THAT(read_values(*device, all.view().part(first, count)),
                    Each(static_cast<std::byte>(from + 1)));
        first += count;
    }
    EXPECT_THAT(read_values(*device, sum.view()), Each(size * (size + 1) / 2.0));
}

/// Without --chunk a message is cut in four.
class StagedQuarters : public StagedChunks {
  protected:
    StagedQuarters() : StagedChunks(TransportSettings{}) {}
};

}  // namespace
}  // namespace quartet::comm
