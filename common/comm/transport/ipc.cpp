#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <list>

#include "comm/transport/shared_memory.hpp"
#include "comm/transport/transport.hpp"
#include "core/block_range.hpp"
#include "core/check.hpp"
#include "device/accelerator.hpp"
#include "device/vector_operations.hpp"

namespace quartet::comm {

namespace {

constexpr TransportTraits ipc_traits{
    .name = "ipc",
    .memory = TransportMemory::gpu,
    .reach = Reach::one_node,
    .receive = Receive::in_place,
};

// At least one block: all ranks take part in a release, also a rank that needs no memory.
Bytes whole_blocks(Bytes size, const device::Accelerator& accelerator) {
    const std::int64_t block = accelerator.exported_block().value;
    return {std::max(block, (size.value + block - 1) / block * block)};
}

/// Memory of GPUs that every rank of the node has mapped: each allocation's handle is exchanged
/// when it is made. Two ranks on one GPU map one another's memory as ranks on two GPUs do.
class MappedGpuMemory final : public JointMemory {
  public:
    /// Borrows both; the device is an accelerator. It outlives what it allocates.
    MappedGpuMemory(const Communicator& comm, device::Device& device)
        : JointMemory(comm, device::MemoryKind::device),
          device_(device),
          accelerator_(*device.accelerator()) {}

    /// Zeroed memory of the device. Collective; throws Failure, on all ranks, where memory cannot
    /// be had or mapped. Releasing it is collective, too, except while an exception unwinds: then
    /// it is left to the job's end, since others may still read it.
    device::Allocation allocate(Bytes size) {
        Entry made;
        made.parts.resize(static_cast<std::size_t>(ranks_.size()));
        device::Allocation& mine = made.parts[me()];
        device::MemoryHandle handle;
        agree(ranks_, [&] { mine = device_.allocate(whole_blocks(size, accelerator_), kind_); });
        agree(ranks_, [&] { handle = accelerator_.export_memory(mine); });
        const auto handles = ranks_.gather(handle);
        const auto sizes = ranks_.gather(mine.size.value);
        agree(ranks_, [&] {
            for (std::size_t rank = 0; rank < handles.size(); ++rank) {
                if (rank != me()) {
                    made.parts[rank] = accelerator_.import_memory(handles[rank], {sizes[rank]});
                }
            }
        });
        const auto entry = keep(std::move(made));
        const int exceptions = std::uncaught_exceptions();
        return {{entry->parts[me()].data.get(),
                 [this, entry, exceptions](std::byte*) { release(entry, exceptions); }},
                size,
                kind_};
    }

  private:
    // No memory is freed while another rank has it mapped.
    void release(std::list<Entry>::iterator entry, int exceptions) {
        if (std::uncaught_exceptions() > exceptions) {
            return;
        }
        device::Allocation mine = std::move(entry->parts[me()]);
        entries_.erase(entry);
        ranks_.barrier();
    }

    device::Device& device_;
    device::Accelerator& accelerator_;
};

/// CUDA IPC: the ranks of one node map one another's GPU memory, and kernels read it in place. No
/// kernel ever waits for another rank: streams are synchronised, and ranks meet on the host.
/// Payloads of queues lie in page-locked memory of the host.
class IpcTransport final : public Transport {
  public:
    explicit IpcTransport(const TransportContext& context)
        : Transport(context, ipc_traits),
          of_gpus_(comm(), context.device),
          of_hosts_(comm(), context.device.accelerator()) {}

    device::Allocation allocate(Bytes size, Place place) override {
        return place == Place::host ? of_hosts_.allocate(size) : of_gpus_.allocate(size);
    }
    [[nodiscard]] std::vector<device::View<const std::byte>> of_all(
        device::View<const std::byte> mine) override {
        // Empty parts may be of either kind: what other ranks have decides.
        const bool hosts = comm().any(!mine.empty() && mine.kind() != device::MemoryKind::device);
        return hosts ? of_hosts_.of_all(mine) : of_gpus_.of_all(mine);
    }

  private:
    [[nodiscard]] Bytes taken(Bytes size) const override {
        return whole_blocks(size, *device().accelerator());
    }

    MappedGpuMemory of_gpus_;
    SharedMemory of_hosts_;
};

/// Whether this rank can read, in the memory of each other rank, what that rank has written.
bool reads_peers(const TransportContext& context) {
    MappedGpuMemory pool(context.world, context.device);
    auto mine = device::Buffer<double>(pool.allocate(bytes_of<double>(1)), 1);
    auto seen = device::allocate<double>(context.device, 1, device::MemoryKind::pinned);
    const auto stream = context.device.make_stream("probe");
    context.device.vectors().fill(1.0 + context.world.rank(), mine.view(), *stream);
    stream->synchronize();
    context.world.barrier();
    const auto all = pool.of_all(device::as_bytes(mine.view()));
    bool right = true;
    for (int step = 0; step < context.world.size(); ++step) {
        const int rank = peer_at_step(step, context.world.rank(), context.world.size());
        context.device.copy(all[static_cast<std::size_t>(rank)], device::as_bytes(seen.view()),
                            *stream);
        stream->synchronize();
        right = right && seen.span()[0] == 1.0 + rank;
    }
    return context.world.all(right);  // no memory is freed before all have read it
}

std::string cannot_map(const std::string& reason) {
    return fmt::format(
        "transport ipc needs ranks that map one another's GPU memory ({}): let every rank see all "
        "GPUs of its node (Slurm: --gpu-bind=none; containers: one for all ranks, with "
        "--ipc=host), "
        "or use --transport staged",
        reason);
}

// Names two ranks whose GPUs have no peer access. Where a rank does not see another's GPU,
// reads_peers() finds out.
std::optional<std::string> gpus_out_of_reach(const TransportContext& context) {
    const device::Accelerator& mine = *context.device.accelerator();
    const auto buses = context.world.gather(mine.facts().pci_bus);
    std::optional<std::string> problem;
    for (int rank = 0; rank < context.world.size() && !problem; ++rank) {
        const std::string& bus = buses[static_cast<std::size_t>(rank)];
        if (mine.reaches(bus) == false) {
            problem = fmt::format(
                "transport ipc needs GPUs that reach one another's memory (the GPUs of ranks {} "
                "and {} have no peer access: nvidia-smi topo -p2p r shows which have): use "
                "--transport staged, or other GPUs by --gpu-map",
                context.world.rank(), rank);
        }
    }
    return context.world.first(problem);
}

std::optional<std::string> why_no_ipc(const TransportContext& context) {
    if (const auto problem = why_no_shared_memory(context.world, context.device.accelerator())) {
        return "transport ipc: " + *problem;
    }
    if (const auto problem = gpus_out_of_reach(context)) {
        return problem;
    }
    try {
        if (!reads_peers(context)) {
            return cannot_map("what they read there is not what was written");
        }
    } catch (const Failure& failure) {  // on all ranks
        return cannot_map(failure.what());
    }
    return std::nullopt;
}

}  // namespace

TransportKind ipc_transport() {
    return {ipc_traits, why_no_ipc, make_transport<IpcTransport>};
}

}  // namespace quartet::comm
