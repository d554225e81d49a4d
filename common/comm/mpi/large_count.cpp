#include "comm/mpi/large_count.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "comm/mpi/mpi_session.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

constexpr int exchange_tag = 32767;  // the highest that MPI promises

using ConstBytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

struct Peers {
    explicit Peers(MPI_Comm comm) {
        check_mpi(MPI_Comm_rank(comm, &rank));
        check_mpi(MPI_Comm_size(comm, &size));
    }
    int rank = 0;
    int size = 0;
};

std::size_t index(std::int64_t value) {
    return static_cast<std::size_t>(value);
}

std::int64_t ssize(ConstBytes bytes) {
    return static_cast<std::int64_t>(bytes.size());
}

std::vector<int> narrowed(std::span<const std::int64_t> values) {
    std::vector<int> result(values.size());
    std::ranges::transform(values, result.begin(), [](auto v) { return static_cast<int>(v); });
    return result;
}

// One part of `bytes` for each rank.
template <typename Bytes>
std::vector<Bytes> parts(Bytes bytes, const RankCounts& counts) {
    std::vector<Bytes> result;
    result.reserve(index(counts.ranks()));
    for (int rank = 0; rank < counts.ranks(); ++rank) {
        result.push_back(bytes.subspan(index(counts.offset(rank)), index(counts.count(rank))));
    }
    return result;
}

void require_counts(const RankCounts& counts, int ranks, std::int64_t held) {
    check(counts.ranks() == ranks, "one count a rank is needed");
    check(counts.total() == held, "a buffer's size differs from its counts' sum");
}

// Describes a buffer to MPI: as plain bytes if an int counts them, else as one composed item.
class Item {
  public:
    Item(std::int64_t size, std::int64_t largest) {
        if (size <= largest) {
            count_ = static_cast<int>(size);
        } else {
            composed_.emplace(size, largest);
        }
    }

    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] MPI_Datatype type() const { return composed_ ? composed_->handle() : MPI_BYTE; }

  private:
    int count_ = 1;
    std::optional<ByteType> composed_;
};

// MPI counts whole items only: a composed item that is short counts as none, or as undefined.
void require_whole(const MPI_Status& status, const Item& item) {
    int received = 0;
    check_mpi(MPI_Get_count(&status, item.type(), &received));
    check(received == item.count(), "a message is shorter than its buffer");
}

// Sends send[r] to each rank r and receives receive[r] from it, a pair at a time: in step s to the
// s-th rank after this one and from the s-th before it.
void exchange(std::span<const ConstBytes> send, std::span<const MutableBytes> receive,
              const Peers& peers, MPI_Comm comm, std::int64_t largest) {
    const ConstBytes own = send[index(peers.rank)];
    if (own.data() != receive[index(peers.rank)].data()) {
        std::ranges::copy(own, receive[index(peers.rank)].begin());
    }
    for (int step = 1; step < peers.size; ++step) {
        const int to = (peers.rank + step) % peers.size;
        const int from = (peers.rank - step + peers.size) % peers.size;
        const ConstBytes out = send[index(to)];
        const MutableBytes in = receive[index(from)];
        const Item sent(ssize(out), largest);
        const Item received(ssize(in), largest);
        MPI_Status status;
        check_mpi(MPI_Sendrecv(out.data(), sent.count(), sent.type(), to, exchange_tag, in.data(),
                               received.count(), received.type(), from, exchange_tag, comm,
                               &status));
        require_whole(status, received);
    }
}

}  // namespace

ByteType::ByteType(std::int64_t count, std::int64_t largest_count) {
    check(count >= 0 && largest_count >= 1 && largest_count <= INT_MAX, "no such byte count");
    if (count <= largest_count) {
        check_mpi(MPI_Type_contiguous(static_cast<int>(count), MPI_BYTE, &handle_));
    } else {
        const std::int64_t blocks = count / largest_count;
        check(blocks <= INT_MAX, "more bytes than a datatype can span");
        MPI_Datatype block = MPI_DATATYPE_NULL;
        check_mpi(MPI_Type_contiguous(static_cast<int>(largest_count), MPI_BYTE, &block));
        const std::array lengths{static_cast<int>(blocks), static_cast<int>(count % largest_count)};
        const std::array places{MPI_Aint{0}, static_cast<MPI_Aint>(blocks * largest_count)};
        const std::array<MPI_Datatype, 2> types{block, MPI_BYTE};
        const int status =
            MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), &handle_);
        MPI_Type_free(&block);
        check_mpi(status);
    }
    check_mpi(MPI_Type_commit(&handle_));
}

ByteType::~ByteType() {
    MPI_Type_free(&handle_);
}

void send_bytes(ConstBytes data, int to, int message_tag, MPI_Comm comm,
                std::int64_t largest_count) {
    const Item item(ssize(data), largest_count);
    check_mpi(MPI_Send(data.data(), item.count(), item.type(), to, message_tag, comm));
}

void receive_bytes(MutableBytes data, int from, int message_tag, MPI_Comm comm,
                   std::int64_t largest_count) {
    const Item item(ssize(data), largest_count);
    MPI_Status status;
    check_mpi(MPI_Recv(data.data(), item.count(), item.type(), from, message_tag, comm, &status));
    require_whole(status, item);
}

RankCounts::RankCounts(std::vector<std::int64_t> counts, std::int64_t largest_count)
    : counts_(std::move(counts)),
      offsets_(counts_.size()),
      total_(std::reduce(counts_.begin(), counts_.end())),
      largest_(largest_count) {
    check(std::ranges::all_of(counts_, [](auto count) { return count >= 0; }), "a negative count");
    std::exclusive_scan(counts_.begin(), counts_.end(), offsets_.begin(), std::int64_t{0});
    if (fits()) {
        mpi_counts_ = narrowed(counts_);
        mpi_offsets_ = narrowed(offsets_);
    }
}

namespace {

RankCounts received(const RankCounts& send, MPI_Comm comm) {
    std::vector<std::int64_t> mine;
    for (int rank = 0; rank < send.ranks(); ++rank) {
        mine.push_back(send.count(rank));
    }
    std::vector<std::int64_t> theirs(mine.size());
    check_mpi(MPI_Alltoall(mine.data(), 1, MPI_INT64_T, theirs.data(), 1, MPI_INT64_T, comm));
    return RankCounts(std::move(theirs), send.largest_count());
}

RankCounts one_a_rank(std::vector<std::int64_t> counts, MPI_Comm comm, std::int64_t largest) {
    check(std::ssize(counts) == Peers(comm).size, "one count a rank is needed");
    return RankCounts(std::move(counts), largest);
}

}  // namespace

ExchangeCounts::ExchangeCounts(std::vector<std::int64_t> send, MPI_Comm comm,
                               std::int64_t largest_count)
    : send_(one_a_rank(std::move(send), comm, largest_count)), receive_(received(send_, comm)) {
    int all_fit = send_.fits() && receive_.fits() ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all_fit, 1, MPI_INT, MPI_MIN, comm));
    fits_ = all_fit == 1;
}

void all_gather_bytes(ConstBytes mine, MutableBytes all, const RankCounts& counts, MPI_Comm comm) {
    const Peers peers(comm);
    require_counts(counts, peers.size, ssize(all));
    check(ssize(mine) == counts.count(peers.rank), "a part's size differs from its count");
    if (!counts.fits()) {
        const std::vector<ConstBytes> send(index(peers.size), mine);
        exchange(send, parts(all, counts), peers, comm, counts.largest_count());
        return;
    }
    const bool in_place = mine.data() == all.data() + counts.offset(peers.rank);
    check_mpi(MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine.data(), static_cast<int>(mine.size()),
                             MPI_BYTE, all.data(), counts.mpi_counts(), counts.mpi_offsets(),
                             MPI_BYTE, comm));
}

void all_to_all_bytes(ConstBytes send, MutableBytes receive, const ExchangeCounts& counts,
                      MPI_Comm comm) {
    const Peers peers(comm);
    require_counts(counts.send(), peers.size, ssize(send));
    require_counts(counts.receive(), peers.size, ssize(receive));
    if (!counts.fits()) {
        exchange(parts(send, counts.send()), parts(receive, counts.receive()), peers, comm,
                 counts.send().largest_count());
        return;
    }
    check_mpi(MPI_Alltoallv(send.data(), counts.send().mpi_counts(), counts.send().mpi_offsets(),
                            MPI_BYTE, receive.data(), counts.receive().mpi_counts(),
                            counts.receive().mpi_offsets(), MPI_BYTE, comm));
}

void reduce_scatter_sum(std::span<const double> contribution, std::span<double> mine,
                        const RankCounts& counts, MPI_Comm comm) {
    const Peers peers(comm);
    require_counts(counts, peers.size, std::ssize(contribution));
    check(std::ssize(mine) == counts.count(peers.rank), "a part's size differs from its count");
    check(counts.fits(), "a sum of more elements than MPI counts");
    check_mpi(MPI_Reduce_scatter(contribution.data(), mine.data(), counts.mpi_counts(), MPI_DOUBLE,
                                 MPI_SUM, comm));
}

}  // namespace quartet::comm
