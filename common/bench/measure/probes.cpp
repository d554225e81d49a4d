#include "bench/measure/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "core/block_range.hpp"
#include "core/data_source.hpp"
#include "core/fastest.hpp"
#include "device/blas.hpp"
#include "device/vector_operations.hpp"

namespace quartet::bench {

MemoryProbe::MemoryProbe(device::Arena& arena, device::Device& device, AccessPattern pattern,
                         Bytes size, int sources)
    : device_(device), pattern_(pattern), result_(arena.make<double>(1, device.memory_kind())) {
    for (int array = 0; array < 1 + sources; ++array) {
        owned_.push_back(arena.make<std::byte>(size.value, device.memory_kind()));
    }
    target_ = owned_.front().view();
    for (std::size_t source = 1; source < owned_.size(); ++source) {
        sources_.emplace_back(owned_[source].view());
    }
}

MemoryProbe::MemoryProbe(device::Arena& arena, device::View<const double> source)
    : device_(arena.device()),
      pattern_(AccessPattern::read),
      sources_{device::as_bytes(source)},
      result_(arena.make<double>(1)) {}

MemoryProbe::MemoryProbe(device::Device& device, device::View<const double> source,
                         device::View<double> target)
    : device_(device),
      pattern_(AccessPattern::copy),
      target_(device::as_bytes(target)),
      sources_{device::as_bytes(source)} {}

device::MemoryPass MemoryProbe::whole(const device::View<const std::byte>& source) {
    return {pattern_, source,
            pattern_ == AccessPattern::read ? device::as_bytes(result_.view()) : target_};
}

std::vector<MemoryProbe::PartWay> MemoryProbe::device_ways() const {
    std::vector<PartWay> ways;
    if (pattern_ == AccessPattern::copy) {
        ways.push_back({"the system's copy", [this](const device::MemoryPass& pass, auto& stream) {
                            device_.copy(pass.source, pass.target, stream);
                        }});
        // Vector operations copy whole doubles in the device's own memory.
        const device::View<const std::byte>& source = sources_.front();
        const auto is_own = [this](device::MemoryKind kind) {
            return !device::has_own_memory(device_) || kind == device::MemoryKind::device;
        };
        if (source.size() % static_cast<std::int64_t>(sizeof(double)) != 0 ||
            !is_own(source.kind()) || !is_own(target_.kind())) {
            return ways;
        }
    }
    for (const device::MemoryWay way : device_.vectors().ways(pattern_)) {
        ways.push_back({to_string(way), [this, way](const device::MemoryPass& pass, auto& stream) {
                            device_.vectors().pass(pass, way, stream);
                        }});
    }
    return ways;
}

// The ways take turns over parts of at least 32 MiB, which most caches cannot hold.
MemoryProbe::PartWay MemoryProbe::fastest_of_device(device::Stream& stream) {
    const device::MemoryPass all = whole(sources_.front());
    const std::vector<PartWay> ways = device_ways();
    const std::int64_t size = all.source.size();
    const std::int64_t parts = std::max<std::int64_t>(1, size / mebibytes(32).value);
    const std::int64_t part = parts == 1 ? size : size / parts / 64 * 64;
    const auto time_part = [&](std::size_t way, std::int64_t round) {
        const std::int64_t begin = part * trial_piece(way, ways.size(), round, parts);
        device::MemoryPass pass = all;
        pass.source = all.source.part(begin, part);
        if (pattern_ != AccessPattern::read) {
            pass.target = all.target.part(begin, part);
        }
        const auto pass_once = [&] { ways[way].pass(pass, stream); };
        if (parts == 1) {  // not timed: leaves in the caches what the way leaves when it measures
            device_.time(1, pass_once, stream);
        }
        return device_.time(1, pass_once, stream);
    };
    return ways[fastest(ways.size(), choice_time, time_part)];
}

void MemoryProbe::add_way(std::string name, Pass pass) {
    added_.emplace_back(std::move(name), std::move(pass));
}

void MemoryProbe::choose_way(device::Stream& stream) {
    if (pass_) {
        return;
    }
    PartWay best = fastest_of_device(stream);
    added_.emplace(added_.begin(), std::move(best.name),
                   [this, pass = std::move(best.pass)](device::Stream& order) {
                       pass(whole(sources_[next_]), order);
                       next_ = (next_ + 1) % sources_.size();
                   });
    const auto time_pass = [&](std::size_t way, std::int64_t /*round*/) {
        return device_.time(
            1, [&] { added_[way].second(stream); }, stream);
    };
    // Whole passes take longer than parts: fewer fit into the time, and more are disturbed.
    const Seconds time = 5 * choice_time;
    std::tie(way_, pass_) = std::move(added_[fastest(added_.size(), time, time_pass)]);
    added_.clear();
    next_ = 0;
}

void MemoryProbe::fill_target(device::Stream& stream) {
    device_.vectors().fill(0.0F, device::view_as<float>(target_), stream);
}

Seconds MemoryProbe::measure(int passes, device::Stream& stream) {
    choose_way(stream);
    return device_.time(
        passes, [&] { pass_(stream); }, stream);
}

int MemoryProbe::passes_for(Seconds time, int most, device::Stream& stream) {
    measure(1, stream);  // the first pass finds cold caches
    const Seconds once = measure(1, stream);
    return passes_in(time, once, most);
}

Bytes MemoryProbe::traffic() const {
    const Bytes size = sources_.front().bytes();
    return pattern_ == AccessPattern::read   ? size
           : pattern_ == AccessPattern::copy ? 2 * size
                                             : 3 * size;
}

namespace {

// Products of zeros draw less power than others, and so may run at higher clocks. Products of a
// repeated block of random numbers, made on the host, do not.
device::Buffer<float> random_matrix(device::Arena& arena, std::int64_t size, const char* name) {
    constexpr std::int64_t random_numbers = std::int64_t{1} << 22;
    auto matrix = arena.make<float>(size * size);
    const std::int64_t count = std::min(matrix.size(), random_numbers);
    arena.reserve_for_set_up(bytes_of<float>(count));
    if (arena.plans()) {
        return matrix;
    }
    device::Device& device = arena.device();
    auto numbers = device::allocate<float>(device, count, device::MemoryKind::host);
    DataSource(1, name).fill_uniform(numbers.span(), 0);
    const auto stream = device.make_stream("probe");
    for (std::int64_t begin = 0; begin < matrix.size(); begin += count) {
        const std::int64_t part = std::min(count, matrix.size() - begin);
        device.copy(device::as_bytes(device::View<const float>(numbers.view()).part(0, part)),
                    device::as_bytes(matrix.view().part(begin, part)), *stream);
    }
    stream->synchronize();
    return matrix;
}

}  // namespace

SgemmProbe::SgemmProbe(device::Arena& arena, std::int64_t size)
    : device_(arena.device()),
      size_(size),
      a_(random_matrix(arena, size, "probe/a")),
      b_(random_matrix(arena, size, "probe/b")),
      c_(arena.make<float>(size * size)) {}

Seconds SgemmProbe::measure(device::Stream& stream) {
    const auto multiply = [&] {
        device_.blas().gemm({size_, size_, size_}, a_.view(), b_.view(), c_.view(),
                            device::Update::replace, stream);
    };
    return device_.time(1, multiply, stream);
}

Flops SgemmProbe::flops() const {
    const auto n = static_cast<double>(size_);
    return {2 * n * n * n - n * n};
}

PairProbe::PairProbe(device::Arena& arena, comm::Transport& transport,
                     const comm::Communicator& comm, int from, int to, Bytes size)
    : transport_(transport),
      comm_(comm),
      from_(from),
      to_(to),
      data_(comm::allocate<std::byte>(arena, transport,
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

AllToAllProbe::AllToAllProbe(device::Arena& arena, comm::Transport& transport,
                             const comm::Communicator& comm, Bytes part)
    : comm_(comm),
      send_(comm::allocate<std::byte>(arena, transport, (comm.size() - 1) * part.value)),
      device_(arena.device()) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), part.value);
    counts[static_cast<std::size_t>(comm.rank())] = 0;
    exchange_ = transport.prepare_exchange(
        arena, {comm::consecutive(device::View<const std::byte>(send_.view()), counts), counts});
    if (transport.traits().receive == comm::Receive::in_place) {
        received_ = arena.make<std::byte>(send_.size());
    }
}

Seconds AllToAllProbe::exchange(const Copy& copy, device::Stream& stream) {
    comm_.barrier();
    const Seconds begin = now();
    exchange_->run(stream);
    if (received_.size() > 0) {
        std::int64_t place = 0;
        const auto parts = exchange_->parts();
        for (int step = 1; step < comm_.size(); ++step) {
            const int from = peer_at_step(step, comm_.rank(), comm_.size());
            const device::View<const std::byte>& part = parts[static_cast<std::size_t>(from)];
            copy(part, received_.view().part(place, part.size()));
            place += part.size();
        }
    }
    exchange_->release(stream);
    stream.synchronize();
    return {comm_.maximum((now() - begin).value)};
}

Seconds AllToAllProbe::measure(device::Stream& stream) {
    const Seconds found =
        exchange([&](auto part, auto place) { device_.copy(part, place, stream); }, stream);
    if (received_.size() == 0) {
        return found;
    }
    const auto past_caches = [&](auto part, auto place) {
        device_.vectors().copy(device::view_as<double>(part), device::view_as<double>(place),
                               stream);
    };
    return std::min(found, exchange(past_caches, stream));
}

StorageProbe::StorageProbe(const std::filesystem::path& file, FileCache cache)
    : name_(file), cache_(cache), file_(file, cache) {}

Seconds StorageProbe::measure() {
    if (cache_ == FileCache::drop) {
        forget(name_);
    }
    const Seconds begin = now();
    Bytes done;
    while (done < size()) {
        const Bytes moved = file_.read(done, block_->bytes);
        if (moved.value == 0) {
            throw FileError("read", name_, fmt::format("it has shrunk to {} bytes", done.value));
        }
        done = done + moved;
    }
    return now() - begin;
}

LimitComponent ArithmeticLimit::measure(Flops flops, const comm::Communicator& world,
                                        device::Stream& stream) {
    constexpr Seconds probed{0.005};
    if (part_ == Part::computes && !probe_) {
        probe_ = device_.make_multiply_add_probe(device::FloatFormat::float64);
    }
    world.barrier();  // all ranks compute at once
    const double rate = world.sum(probe_ ? probe_->measure(probed, stream) : 0);
    return LimitComponent{"float64 arithmetic", {flops.value / rate}};
}

std::string summarise_over_ranks(const std::string& choice, const comm::Communicator& world) {
    std::map<std::string, int> counts;
    for (const std::string& of_rank : world.gather(choice)) {
        if (!of_rank.empty()) {
            ++counts[of_rank];
        }
    }
    if (counts.size() <= 1) {
        return counts.empty() ? "" : counts.begin()->first;
    }
    std::string text;
    for (const auto& [chosen, ranks] : counts) {
        text += fmt::format("{}{} on {} of {} ranks", text.empty() ? "" : ", ", chosen, ranks,
                            world.size());
    }
    return text;
}

}  // namespace quartet::bench
