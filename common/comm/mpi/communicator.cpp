#include "comm/mpi/communicator.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <utility>

#include "comm/mpi/mpi_session.hpp"

namespace quartet::comm {

namespace {

constexpr int text_tag = 32766;

/// Calls `work(part, count)` for consecutive parts of `bytes` that an int can count.
template <typename Byte, typename Work>
void for_counted(std::span<Byte> bytes, Work work) {
    constexpr std::int64_t largest = Communicator::largest_message;
    for (std::int64_t first = 0; first < std::ssize(bytes); first += largest) {
        const std::int64_t count = std::min(largest, std::ssize(bytes) - first);
        work(bytes.data() + first, static_cast<int>(count));
    }
}

}  // namespace

Communicator::Communicator(MPI_Comm handle)
    : handle_(handle), exceptions_(std::uncaught_exceptions()) {
    check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
    check_mpi(MPI_Comm_rank(handle_, &rank_));
    check_mpi(MPI_Comm_size(handle_, &size_));
    rows_.resize(static_cast<std::size_t>(size_));
}

Communicator Communicator::world() {
    MPI_Comm handle = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &handle));
    return Communicator(handle);
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      exceptions_(std::uncaught_exceptions()),
      rows_(std::move(other.rows_)) {}

Communicator::~Communicator() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (handle_ != MPI_COMM_NULL && finalised == 0 && std::uncaught_exceptions() <= exceptions_) {
        MPI_Comm_free(&handle_);
    }
}

Communicator Communicator::duplicate() const {
    MPI_Comm handle = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(handle_, &handle));
    return Communicator(handle);
}

Communicator Communicator::split_by_node() const {
    MPI_Comm handle = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &handle));
    return Communicator(handle);
}

void Communicator::barrier() const {
    check_mpi(MPI_Barrier(handle_));
}

bool Communicator::all(bool condition) const {
    int holds = condition ? 1 : 0;
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &holds, 1, MPI_INT, MPI_LAND, handle_));
    return holds != 0;
}

std::span<const double> Communicator::rows_of(std::span<const double> values) const {
    check(values.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          "rows to be gathered are too long");
    const int count = static_cast<int>(values.size());
    const std::size_t all = values.size() * static_cast<std::size_t>(size_);
    rows_.resize(std::max(rows_.size(), all));
    check_mpi(
        MPI_Allgather(values.data(), count, MPI_DOUBLE, rows_.data(), count, MPI_DOUBLE, handle_));
    return {rows_.data(), all};
}

std::vector<double> Communicator::gather(std::span<const double> values) const {
    const auto rows = rows_of(values);
    return {rows.begin(), rows.end()};
}

std::vector<std::int64_t> Communicator::gather(std::int64_t value) const {
    std::vector<std::int64_t> values(static_cast<std::size_t>(size_));
    check_mpi(MPI_Allgather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, handle_));
    return values;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
    const auto lengths = gather(static_cast<std::int64_t>(text.size()));
    std::string joined(static_cast<std::size_t>(std::reduce(lengths.begin(), lengths.end())), '\0');
    gather(std::as_bytes(std::span(text)), lengths, std::as_writable_bytes(std::span(joined)));
    std::vector<std::string> texts;
    texts.reserve(lengths.size());
    std::size_t begin = 0;
    for (const auto length : lengths) {
        texts.push_back(joined.substr(begin, static_cast<std::size_t>(length)));
        begin += static_cast<std::size_t>(length);
    }
    return texts;
}

// One broadcast after another: MPI's own gather counts all bytes by an int.
void Communicator::gather(std::span<const std::byte> mine, const std::vector<std::int64_t>& sizes,
                          std::span<std::byte> all) const {
    std::size_t first = 0;
    for (int rank = 0; rank < size_; ++rank) {
        const auto part =
            all.subspan(first, static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]));
        if (rank == rank_) {
            check(mine.size() == part.size(),
                  "a part's size differs from the size that was announced");
            std::ranges::copy(mine, part.begin());
        }
        for_counted(part, [&](std::byte* data, int count) {
            check_mpi(MPI_Bcast(data, count, MPI_BYTE, rank, handle_));
        });
        first += part.size();
    }
}

std::vector<std::string> Communicator::gather_to_root(const std::string& text) const {
    const auto length = static_cast<std::int64_t>(text.size());
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(rank_ == 0 ? size_ : 0));
    check_mpi(MPI_Gather(&length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, 0, handle_));
    if (rank_ != 0) {
        for_counted(std::span(text), [&](const char* data, int count) {
            check_mpi(MPI_Send(data, count, MPI_BYTE, 0, text_tag, handle_));
        });
        return {};
    }
    std::vector<std::string> texts{text};
    for (int from = 1; from < size_; ++from) {
        auto& next = texts.emplace_back(
            static_cast<std::size_t>(lengths[static_cast<std::size_t>(from)]), '\0');
        for_counted(std::span(next), [&](char* data, int count) {
            check_mpi(MPI_Recv(data, count, MPI_BYTE, from, text_tag, handle_, MPI_STATUS_IGNORE));
        });
    }
    return texts;
}

void Communicator::sum(std::span<double> values) const {
    const auto rows = rows_of(values);
    for (std::size_t column = 0; column < values.size(); ++column) {
        values[column] = 0;
        for (std::size_t place = column; place < rows.size(); place += values.size()) {
            values[column] += rows[place];
        }
    }
}

double Communicator::maximum(double value) const {
    const auto row = rows_of({&value, 1});
    const auto larger = [](double a, double b) { return std::isnan(b) || b > a ? b : a; };
    return std::accumulate(row.begin() + 1, row.end(), row.front(), larger);
}

double Communicator::broadcast(double value, int root) const {
    check_mpi(MPI_Bcast(&value, 1, MPI_DOUBLE, root, handle_));
    return value;
}

std::string Communicator::broadcast(const std::string& text, int root) const {
    auto length = static_cast<std::int64_t>(text.size());
    check_mpi(MPI_Bcast(&length, 1, MPI_INT64_T, root, handle_));
    std::string result = rank_ == root ? text : std::string(static_cast<std::size_t>(length), '\0');
    for_counted(std::span(result), [&](char* data, int count) {
        check_mpi(MPI_Bcast(data, count, MPI_BYTE, root, handle_));
    });
    return result;
}

std::optional<std::string> Communicator::first(const std::optional<std::string>& message) const {
    const auto present = gather(std::int64_t{message.has_value() ? 1 : 0});
    const auto found = std::ranges::find(present, 1);
    if (found == present.end()) {
        return std::nullopt;
    }
    return broadcast(message.value_or(""), static_cast<int>(found - present.begin()));
}

}  // namespace quartet::comm
