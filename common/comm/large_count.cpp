#include "comm/large_count.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "comm/mpi_session.hpp"
#include "core/check.hpp"

namespace quartet::comm {

namespace {

constexpr int tag = 32767;  // the highest that MPI promises

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

std::int64_t total(std::span<const std::int64_t> counts) {
    return std::reduce(counts.begin(), counts.end());
}

// Where each part begins.
std::vector<std::int64_t> offsets(std::span<const std::int64_t> counts) {
    std::vector<std::int64_t> begin(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), std::int64_t{0});
    return begin;
}

std::vector<int> narrowed(std::span<const std::int64_t> values) {
    std::vector<int> result(values.size());
    std::ranges::transform(values, result.begin(), [](auto v) { return static_cast<int>(v); });
    return result;
}

// One part of `bytes` for each rank.
template <typename Bytes>
std::vector<Bytes> parts(Bytes bytes, std::span<const std::int64_t> counts) {
    std::vector<Bytes> result;
    result.reserve(counts.size());
    std::size_t begin = 0;
    for (const auto count : counts) {
        result.push_back(bytes.subspan(begin, index(count)));
        begin += index(count);
    }
    return result;
}

void require_counts(std::span<const std::int64_t> counts, int ranks, std::int64_t held) {
    check(std::ssize(counts) == ranks, "one count a rank is needed");
    check(std::ranges::all_of(counts, [](auto count) { return count >= 0; }), "a negative count");
    check(total(counts) == held, "a buffer's size differs from its counts' sum");
}

// How MPI is told of a buffer: plain bytes where an int counts them, else one composed item.
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

void require_size(const MPI_Status& status, std::int64_t expected) {
    MPI_Count received = 0;
    check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &received));
    check(received == expected, "a message is shorter than its buffer");
}

// Sends send[r] to each rank r and receives receive[r] from it, a pair at a time: in step s to the
// s-th rank after this one and from the s-th before it.
void exchange(std::span<const ConstBytes> send, std::span<const MutableBytes> receive,
              const Peers& peers, MPI_Comm comm, std::int64_t largest) {
    std::ranges::copy(send[index(peers.rank)], receive[index(peers.rank)].begin());
    for (int step = 1; step < peers.size; ++step) {
        const int to = (peers.rank + step) % peers.size;
        const int from = (peers.rank - step + peers.size) % peers.size;
        const ConstBytes out = send[index(to)];
        const MutableBytes in = receive[index(from)];
        const Item sent(ssize(out), largest);
        const Item received(ssize(in), largest);
        MPI_Status status;
        check_mpi(MPI_Sendrecv(out.data(), sent.count(), sent.type(), to, tag, in.data(),
                               received.count(), received.type(), from, tag, comm, &status));
        require_size(status, ssize(in));
    }
}

// A round of the reduction below: piece `round` of every rank's part goes to its rank, which adds
// what it gets in rank order.
class PiecewiseSum {
  public:
    PiecewiseSum(std::span<const double> contribution, std::span<double> mine,
                 std::span<const std::int64_t> counts, MPI_Comm comm, std::int64_t largest)
        : contribution_(contribution),
          mine_(mine),
          counts_(counts),
          begin_(offsets(counts)),
          peers_(comm),
          comm_(comm),
          largest_(largest),
          piece_(std::min(largest, std::int64_t{1} << 16)),
          scratch_(index(piece_ * peers_.size)) {}

    void run() {
        const std::int64_t longest = std::ranges::max(counts_);
        for (std::int64_t first = 0; first < longest; first += piece_) {
            exchange_pieces(first);
            add(first);
        }
    }

  private:
    [[nodiscard]] std::int64_t length(int rank, std::int64_t first) const {
        return std::clamp(counts_[index(rank)] - first, std::int64_t{0}, piece_);
    }

    void exchange_pieces(std::int64_t first) {
        std::vector<ConstBytes> send;
        std::vector<MutableBytes> receive;
        for (int rank = 0; rank < peers_.size; ++rank) {
            // Beyond a short part's end there is nothing, and no address either.
            const auto size = index(length(rank, first));
            const auto begin = size == 0 ? 0 : index(begin_[index(rank)] + first);
            send.push_back(std::as_bytes(contribution_.subspan(begin, size)));
            receive.push_back(std::as_writable_bytes(row(rank, first)));
        }
        exchange(send, receive, peers_, comm_, largest_);
    }

    // What `rank` sent in this round.
    std::span<double> row(int rank, std::int64_t first) {
        return std::span(scratch_).subspan(index(rank * piece_), index(length(peers_.rank, first)));
    }

    void add(std::int64_t first) {
        const auto size = index(length(peers_.rank, first));
        if (size == 0) {
            return;
        }
        const auto sum = mine_.subspan(index(first), size);
        std::ranges::copy(row(0, first), sum.begin());
        for (int rank = 1; rank < peers_.size; ++rank) {
            std::ranges::transform(sum, row(rank, first), sum.begin(), std::plus<>());
        }
    }

    std::span<const double> contribution_;
    std::span<double> mine_;
    std::span<const std::int64_t> counts_;
    std::vector<std::int64_t> begin_;
    Peers peers_;
    MPI_Comm comm_;
    std::int64_t largest_;
    std::int64_t piece_;  // elements: long enough for the network's rate, short enough for caches
    std::vector<double> scratch_;
};

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
    require_size(status, ssize(data));
}

void all_gather_bytes(ConstBytes mine, MutableBytes all, std::span<const std::int64_t> counts,
                      MPI_Comm comm, std::int64_t largest_count) {
    const Peers peers(comm);
    require_counts(counts, peers.size, ssize(all));
    check(ssize(mine) == counts[index(peers.rank)], "a part's size differs from its count");
    if (total(counts) > largest_count) {
        const std::vector<ConstBytes> send(counts.size(), mine);
        exchange(send, parts(all, counts), peers, comm, largest_count);
        return;
    }
    check_mpi(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(),
                             narrowed(counts).data(), narrowed(offsets(counts)).data(), MPI_BYTE,
                             comm));
}

void all_to_all_bytes(ConstBytes send, std::span<const std::int64_t> send_counts,
                      MutableBytes receive, std::span<const std::int64_t> receive_counts,
                      MPI_Comm comm, std::int64_t largest_count) {
    const Peers peers(comm);
    require_counts(send_counts, peers.size, ssize(send));
    require_counts(receive_counts, peers.size, ssize(receive));
    std::int64_t most = std::max(ssize(send), ssize(receive));
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm));
    if (most > largest_count) {
        exchange(parts(send, send_counts), parts(receive, receive_counts), peers, comm,
                 largest_count);
        return;
    }
    check_mpi(MPI_Alltoallv(send.data(), narrowed(send_counts).data(),
                            narrowed(offsets(send_counts)).data(), MPI_BYTE, receive.data(),
                            narrowed(receive_counts).data(),
                            narrowed(offsets(receive_counts)).data(), MPI_BYTE, comm));
}

void reduce_scatter_sum(std::span<const double> contribution, std::span<double> mine,
                        std::span<const std::int64_t> counts, MPI_Comm comm,
                        std::int64_t largest_count) {
    const Peers peers(comm);
    require_counts(counts, peers.size, std::ssize(contribution));
    check(std::ssize(mine) == counts[index(peers.rank)], "a part's size differs from its count");
    if (total(counts) > largest_count) {
        PiecewiseSum(contribution, mine, counts, comm, largest_count).run();
        return;
    }
    check_mpi(MPI_Reduce_scatter(contribution.data(), mine.data(), narrowed(counts).data(),
                                 MPI_DOUBLE, MPI_SUM, comm));
}

}  // namespace quartet::comm
