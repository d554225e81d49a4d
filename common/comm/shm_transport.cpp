#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "comm/transport_registry.hpp"
#include "comm/window_pool.hpp"

namespace quartet::comm {

namespace {

/// A sender's and the receiver's progress, each alone on its cache line in the sender's part of a
/// shared window: how many pushes have been posted, and how many have been added.
struct PushFlags {
    alignas(64) std::atomic<std::int64_t> posted;
    alignas(64) std::atomic<std::int64_t> added;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// The other side answers within a microsecond where it has a core of its own; where it has not,
// spinning on would keep it from answering.
void wait_until(const std::atomic<std::int64_t>& flag, std::int64_t value) {
    constexpr int spins_before_yield = 2000;
    for (int spin = 0; flag.load(std::memory_order_acquire) < value; ++spin) {
        if (spin > spins_before_yield) {
            sched_yield();
        }
    }
}

/// The receiver reads each sender's vector where it lies and adds it in the same pass: no copy.
class ShmPush final : public Push {
  public:
    ShmPush(const PushPlan& plan, WindowPool& pool, const Communicator& comm,
            device::Device& device, Track& track);

    void run(int count, device::Stream& stream) override;

  private:
    void send_all(int count);
    void receive_all(int count, device::Stream& stream);

    PushPlan plan_;
    const Communicator& comm_;
    device::Device& device_;
    Track& track_;
    device::Allocation flag_memory_;
    std::vector<PushFlags*> flags_;                   ///< by sender
    std::vector<device::View<const float>> sources_;  ///< by sender, as the receiver sees them
    std::int64_t done_ = 0;                           ///< pushes of earlier runs
};

ShmPush::ShmPush(const PushPlan& plan, WindowPool& pool, const Communicator& comm,
                 device::Device& device, Track& track)
    : plan_(plan),
      comm_(comm),
      device_(device),
      track_(track),
      flag_memory_(pool.allocate(bytes_of<PushFlags>(1))) {
    ::new (static_cast<void*>(flag_memory_.data.get())) PushFlags{};
    const auto source = device::as_bytes(plan.source);
    const auto places = pool.exchange(pool.address_of(source.data(), source.size()));
    const auto flag_places =
        pool.exchange(pool.address_of(flag_memory_.data.get(), flag_memory_.size.value));
    const auto sizes = comm.gather(plan.source.size());
    const auto at = [&](const WindowPool::Address& place, int rank) {
        return pool.window(place.window).part_of(rank) + place.offset;
    };
    for (const int sender : plan.senders) {
        const auto index = static_cast<std::size_t>(sender);
        flags_.push_back(reinterpret_cast<PushFlags*>(at(flag_places[index], sender)));
        sources_.emplace_back(reinterpret_cast<const float*>(at(places[index], sender)),
                              sizes[index], device::MemoryKind::host);
    }
}

void ShmPush::run(int count, device::Stream& stream) {
    if (comm_.rank() == plan_.receiver) {
        receive_all(count, stream);
    } else if (std::ranges::find(plan_.senders, comm_.rank()) != plan_.senders.end()) {
        stream.synchronize();
        send_all(count);
    }
    done_ += count;
}

void ShmPush::send_all(int count) {
    const Span span(track_, Phase::push, "post");
    const auto index = std::ranges::find(plan_.senders, comm_.rank()) - plan_.senders.begin();
    PushFlags& flags = *flags_[static_cast<std::size_t>(index)];
    for (std::int64_t push = done_ + 1; push <= done_ + count; ++push) {
        flags.posted.store(push, std::memory_order_release);
        wait_until(flags.added, push);
    }
}

void ShmPush::receive_all(int count, device::Stream& stream) {
    for (std::int64_t push = done_ + 1; push <= done_ + count; ++push) {
        for (std::size_t sender = 0; sender < sources_.size(); ++sender) {
            {
                const Span span(track_, Phase::wait, "post");
                wait_until(flags_[sender]->posted, push);
            }
            device_.vectors().add(sources_[sender], plan_.target, stream);
            stream.synchronize();
            flags_[sender]->added.store(push, std::memory_order_release);
        }
    }
}

/// Loads and stores in MPI-3 shared windows: the ranks of one node read each other's memory in
/// place. Collective operations take what other ranks read from memory of this transport.
class ShmTransport final : public Transport {
  public:
    explicit ShmTransport(const TransportContext& context)
        : comm_(context.world.duplicate()),
          pool_(WindowKind::shared, comm_),
          device_(context.device),
          track_(context.trace.track("shm")) {}

    [[nodiscard]] std::string_view name() const override { return "shm"; }
    [[nodiscard]] bool can(Capability capability) const override {
        return capability != Capability::send_receive;
    }
    [[nodiscard]] std::string description() const override { return pages_; }

    device::Allocation allocate(Bytes size) override { return pool_.allocate(size); }

    std::unique_ptr<Push> prepare_push(const PushPlan& plan) override {
        // The windows that are read decide: the senders'.
        const bool huge =
            plan.source.empty() || on_huge_pages(device::as_bytes(plan.source).data());
        pages_ = comm_.all(huge) ? "windows on huge pages" : "windows on ordinary pages";
        return std::make_unique<ShmPush>(plan, pool_, comm_, device_, track_);
    }

    void all_gather(device::View<const std::byte> mine, device::View<std::byte> all,
                    std::span<const std::int64_t> counts, device::Stream& stream) override {
        const auto peers = open(mine, stream);
        std::int64_t first = 0;
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            device_.copy({peers[rank], counts[rank], device::MemoryKind::host},
                         all.part(first, counts[rank]), stream);
            first += counts[rank];
        }
        close(stream);
    }

    void reduce_scatter(device::View<const double> contribution, device::View<double> mine,
                        std::span<const std::int64_t> counts, device::Stream& stream) override {
        const auto peers = open(device::as_bytes(contribution), stream);
        const auto index = static_cast<std::size_t>(comm_.rank());
        std::int64_t first = 0;
        for (std::size_t rank = 0; rank < index; ++rank) {
            first += counts[rank];
        }
        device_.vectors().fill(0.0, mine, stream);
        for (const std::byte* peer : peers) {
            device_.vectors().add({reinterpret_cast<const double*>(peer) + first, counts[index],
                                   device::MemoryKind::host},
                                  mine, stream);
        }
        close(stream);
    }

    void all_to_all(device::View<const std::byte> send_data,
                    std::span<const std::int64_t> send_counts, device::View<std::byte> receive_data,
                    std::span<const std::int64_t> receive_counts, device::Stream& stream) override {
        const auto peers = open(send_data, stream);
        const auto begins = parts_for_me(send_counts);
        std::int64_t first = 0;
        for (std::size_t rank = 0; rank < peers.size(); ++rank) {
            device_.copy(
                {peers[rank] + begins[rank], receive_counts[rank], device::MemoryKind::host},
                receive_data.part(first, receive_counts[rank]), stream);
            first += receive_counts[rank];
        }
        close(stream);
    }

  private:
    // Where this process sees every rank's `mine`, once all of them are ready to be read.
    [[nodiscard]] std::vector<const std::byte*> open(device::View<const std::byte> mine,
                                                     device::Stream& stream) {
        stream.synchronize();
        pool_.synchronise_memory();
        const auto places = pool_.exchange(pool_.address_of(mine.data(), mine.size()));
        pool_.synchronise_memory();
        std::vector<const std::byte*> peers(places.size());
        for (std::size_t rank = 0; rank < places.size(); ++rank) {
            peers[rank] = pool_.window(places[rank].window).part_of(static_cast<int>(rank)) +
                          places[rank].offset;
        }
        return peers;
    }

    // Nobody changes what others may still be reading.
    void close(device::Stream& stream) {
        stream.synchronize();
        const Span span(track_, Phase::wait, "close");
        pool_.synchronise_memory();
        comm_.barrier();
        pool_.synchronise_memory();
    }

    // Where, in each rank's buffer, the part for this rank begins.
    [[nodiscard]] std::vector<std::int64_t> parts_for_me(std::span<const std::int64_t> counts) {
        std::vector<double> begins(counts.size());
        std::int64_t begin = 0;
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            begins[rank] = static_cast<double>(begin);  // exact to 2^53 bytes
            begin += counts[rank];
        }
        const auto all = comm_.gather(std::span<const double>(begins));
        std::vector<std::int64_t> mine(counts.size());
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            mine[rank] = static_cast<std::int64_t>(
                all[rank * counts.size() + static_cast<std::size_t>(comm_.rank())]);
        }
        return mine;
    }

    Communicator comm_;
    WindowPool pool_;
    device::Device& device_;
    Track& track_;
    std::string pages_;
};

std::optional<std::string> why_no_shm(const TransportContext& context) {
    if (context.topology.nodes() > 1) {
        return fmt::format(
            "transport shm reaches one node (the ranks are on {}): use --transport mpi",
            context.topology.nodes());
    }
    if (context.device.memory_kind() == device::MemoryKind::device) {
        return "transport shm moves host memory only: use --transport staged or ipc";
    }
    if (const auto problem =
            context.world.first(missing_backing_folder("OMPI_MCA_osc_sm_backing_directory"))) {
        return problem;
    }
    try {  // some MPI set-ups have no shared windows
        const Window window(WindowKind::shared, bytes_of<float>(1), context.world);
    } catch (const Failure& failure) {  // on all ranks
        return fmt::format("transport shm needs shared windows ({}): use --transport mpi",
                           failure.what());
    }
    return std::nullopt;
}

}  // namespace

TransportKind shm_transport() {
    return {"shm", why_no_shm, [](const TransportContext& context) -> std::unique_ptr<Transport> {
                return std::make_unique<ShmTransport>(context);
            }};
}

}  // namespace quartet::comm
