#include "bench/limits.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "core/check.hpp"
#include "core/data_source.hpp"

namespace quartet::bench {

MemoryProbe::MemoryProbe(device::Device& device, AccessPattern pattern, Bytes size, int sources)
    : device_(device),
      pattern_(pattern),
      elements_(size.value / static_cast<std::int64_t>(
                                 pattern == AccessPattern::add ? sizeof(float) : sizeof(double))) {
    for (int array = 0; array < 1 + sources; ++array) {
        if (pattern == AccessPattern::add) {
            single_.push_back(device::allocate<float>(device, elements_));
        } else {
            double_.push_back(device::allocate<double>(device, elements_));
        }
    }
    result_ = device::allocate<double>(device, 1);
}

void MemoryProbe::pass(device::Stream& stream) {
    device::VectorOperations& vectors = device_.vectors();
    const std::size_t source = 1 + turn_;
    turn_ = (turn_ + 1) % (std::max(single_.size(), double_.size()) - 1);
    switch (pattern_) {
        case AccessPattern::read:
            vectors.dot(double_[source].view(), double_[0].view(), result_.view(), stream);
            break;
        case AccessPattern::copy:
            device_.copy(device::as_bytes(device::View<const double>(double_[source].view())),
                         device::as_bytes(double_[0].view()), stream);
            break;
        case AccessPattern::add:
            vectors.add(single_[source].view(), single_[0].view(), stream);
            break;
        case AccessPattern::update:
            vectors.axpy(0.5, double_[source].view(), double_[0].view(), stream);
            break;
    }
}

Seconds MemoryProbe::measure(int passes, device::Stream& stream) {
    stream.synchronize();
    const Seconds begin = now();
    for (int index = 0; index < passes; ++index) {
        pass(stream);
    }
    stream.synchronize();
    return (now() - begin) / passes;
}

int MemoryProbe::passes_for(Seconds time, int most, device::Stream& stream) {
    measure(1, stream);  // the first pass finds cold caches
    const Seconds once = measure(1, stream);
    return static_cast<int>(std::clamp(time / once, 1.0, static_cast<double>(most)));
}

Bytes MemoryProbe::traffic() const {
    switch (pattern_) {
        case AccessPattern::read:
        case AccessPattern::copy:
            return {16 * elements_};
        case AccessPattern::add:
            return {12 * elements_};
        case AccessPattern::update:
            return {24 * elements_};
    }
    return {};
}

namespace {

// Products of zeros draw less power than others, and so may run at higher clocks.
device::Buffer<float> random_matrix(device::Device& device, std::int64_t size, const char* name) {
    auto numbers = device::allocate<float>(device, size * size, device::MemoryKind::host);
    DataSource(1, name).fill_uniform(numbers.span(), 0);
    auto matrix = device::allocate<float>(device, size * size);
    const auto stream = device.make_stream("probe");
    device.copy(device::as_bytes(device::View<const float>(numbers.view())),
                device::as_bytes(matrix.view()), *stream);
    stream->synchronize();
    return matrix;
}

}  // namespace

SgemmProbe::SgemmProbe(device::Device& device, std::int64_t size)
    : device_(device),
      size_(size),
      a_(random_matrix(device, size, "probe/a")),
      b_(random_matrix(device, size, "probe/b")),
      c_(device::allocate<float>(device, size * size)) {}

Seconds SgemmProbe::measure(device::Stream& stream) {
    stream.synchronize();
    const Seconds begin = now();
    device_.blas().gemm({size_, size_, size_}, a_.view(), b_.view(), c_.view(),
                        device::Update::replace, stream);
    stream.synchronize();
    return now() - begin;
}

Flops SgemmProbe::flops() const {
    const auto n = static_cast<double>(size_);
    return {2 * n * n * n - n * n};
}

PairProbe::PairProbe(comm::Transport& transport, const comm::Communicator& comm, int from, int to,
                     Bytes size)
    : transport_(transport),
      comm_(comm),
      from_(from),
      to_(to),
      data_(comm::allocate<std::byte>(transport,
                                      comm.rank() == from || comm.rank() == to ? size.value : 0)) {}

Seconds PairProbe::measure(int messages, device::Stream& stream) {
    comm_.barrier();
    const Seconds begin = now();
    if (comm_.rank() == from_) {
        for (int message = 0; message < messages; ++message) {
            transport_.send(device::View<const std::byte>(data_.view()), to_, stream);
        }
        transport_.receive(data_.view().part(0, 0), to_, stream);
    } else if (comm_.rank() == to_) {
        for (int message = 0; message < messages; ++message) {
            transport_.receive(data_.view(), from_, stream);
        }
        transport_.send(device::View<const std::byte>(data_.view()).part(0, 0), from_, stream);
    } else {
        return {};
    }
    return (now() - begin) / messages;
}

AllToAllProbe::AllToAllProbe(comm::Transport& transport, const comm::Communicator& comm, Bytes size)
    : transport_(transport),
      comm_(comm),
      counts_(static_cast<std::size_t>(comm.size()), size.value / comm.size()),
      send_(comm::allocate<std::byte>(transport, counts_[0] * comm.size())),
      receive_(comm::allocate<std::byte>(transport, counts_[0] * comm.size())) {}

Seconds AllToAllProbe::measure(device::Stream& stream) {
    comm_.barrier();
    const Seconds begin = now();
    transport_.all_to_all(device::View<const std::byte>(send_.view()), counts_, receive_.view(),
                          counts_, stream);
    stream.synchronize();
    return {comm_.maximum((now() - begin).value)};
}

Bytes AllToAllProbe::sent() const {
    return (comm_.size() - 1) * Bytes{counts_[0]};
}

namespace {

constexpr std::size_t block = std::size_t{4} << 20;
constexpr std::size_t alignment = 4096;

std::string system_error() {
    return std::strerror(errno);
}

}  // namespace

StorageProbe::StorageProbe(const std::filesystem::path& file, CacheState cache)
    : descriptor_(open(file.c_str(), O_RDONLY | (cache == CacheState::direct ? O_DIRECT : 0))),
      buffer_(block + alignment) {
    if (descriptor_.get() < 0) {
        throw Failure(fmt::format(
            "{} cannot be read ({}){}", file.string(), system_error(),
            cache == CacheState::direct ? ": its file system may have no direct input" : ""));
    }
    struct stat status {};
    if (fstat(descriptor_.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        throw Failure(fmt::format("{} cannot be read (not a regular file)", file.string()));
    }
    size_ = {status.st_size};
    void* begin = buffer_.data();
    std::size_t space = buffer_.size();
    aligned_ = static_cast<std::byte*>(std::align(alignment, block, begin, space));
}

Seconds StorageProbe::measure() {
    const Seconds begin = now();
    std::int64_t offset = 0;
    while (offset < size_.value) {
        const ssize_t count = pread(descriptor_.get(), aligned_, block, offset);
        if (count <= 0) {
            throw Failure(fmt::format("reading failed after {} bytes ({})", offset,
                                      count < 0 ? system_error() : "the file has shrunk"));
        }
        offset += count;
    }
    return now() - begin;
}

}  // namespace quartet::bench
