#include "comm/topology/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "comm/mpi/mpi_session.hpp"
#include "system/memory/memory_limits.hpp"
#include "system/processor.hpp"

namespace quartet::comm {

namespace {

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;
using Machine = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

enum class Devices { left_out, kept };

Machine load_machine(Devices devices = Devices::left_out) {
    hwloc_topology_t machine = nullptr;
    check(hwloc_topology_init(&machine) == 0, "hwloc cannot be initialised");
    Machine owner(machine, hwloc_topology_destroy);
    if (devices == Devices::kept) {
        check(hwloc_topology_set_io_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) == 0,
              "hwloc cannot look for devices");
    }
    check(hwloc_topology_load(machine) == 0, "hwloc cannot read this machine's topology");
    return owner;
}

// The processing units that this process is bound to and that its control group allows; all that
// the group allows if the process is not bound or the system does not tell.
Bitmap bound_cpus(hwloc_topology_t machine) {
    Bitmap cpus(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    check(cpus != nullptr, "no memory for a set of CPUs");
    const auto allowed = hwloc_topology_get_allowed_cpuset(machine);
    const bool known = hwloc_get_cpubind(machine, cpus.get(), HWLOC_CPUBIND_PROCESS) == 0;
    check(hwloc_bitmap_and(cpus.get(), cpus.get(), allowed) == 0, "no memory for a set of CPUs");
    if (!known || hwloc_bitmap_iszero(cpus.get()) != 0) {
        check(hwloc_bitmap_copy(cpus.get(), allowed) == 0, "no memory for a set of CPUs");
    }
    return cpus;
}

std::vector<int> members(hwloc_const_bitmap_t set) {
    std::vector<int> numbers;
    for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) {
        numbers.push_back(i);
    }
    return numbers;
}

Bitmap set_of(const std::vector<int>& numbers) {
    Bitmap set(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    check(set != nullptr, "no memory for a set of CPUs");
    for (const int number : numbers) {
        check(hwloc_bitmap_set(set.get(), static_cast<unsigned>(number)) == 0,
              "no memory for a set of CPUs");
    }
    return set;
}

// The CPUs that this rank's threads may use. OpenMP binds threads to one place after another, the
// main thread first; so far only the main thread is bound. But if another rank of the node is bound
// to the same place, the threads of both follow from there, one on top of the other: then the rank
// counts as bound to that place. Collective.
Bitmap usable_cpus(hwloc_topology_t machine, const Communicator& node) {
    Bitmap bound = bound_cpus(machine);
    const std::vector<int> places = system::openmp_places();
    const std::string mine = format_cpus(members(bound.get()));
    const auto alike = std::ranges::count(node.gather(mine), mine);
    return places.empty() || alike > 1 ? std::move(bound) : set_of(places);
}

// Objects that hold at least one of `cpus`: the cores, or, if the system does not tell of cores
// (some virtual machines), the processing units.
std::vector<hwloc_obj_t> cores_among(hwloc_topology_t machine, hwloc_const_bitmap_t cpus) {
    const bool has_cores = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) > 0;
    const auto type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    std::vector<hwloc_obj_t> cores;
    hwloc_obj_t core = nullptr;
    while ((core = hwloc_get_next_obj_by_type(machine, type, core)) != nullptr) {
        if (hwloc_bitmap_intersects(core->cpuset, cpus) != 0) {
            cores.push_back(core);
        }
    }
    return cores;
}

// The NUMA node nearest to a core. Where several are equally near (high-bandwidth memory beside
// ordinary memory) the first stands for all, so that a core belongs to one.
int numa_node_of(hwloc_obj_t core) {
    hwloc_obj_t place = core;
    while (place != nullptr && place->memory_arity == 0) {
        place = place->parent;
    }
    hwloc_obj_t memory = place == nullptr ? nullptr : place->memory_first_child;
    while (memory != nullptr && memory->type != HWLOC_OBJ_NUMANODE) {
        memory = memory->memory_first_child;  // a cache in front of the memory
    }
    return memory == nullptr ? 0 : static_cast<int>(memory->os_index);
}

// The object to which a PCI device is attached; nothing if the system does not tell.
hwloc_obj_t place_of(hwloc_topology_t machine, const std::string& pci_bus) {
    const auto device = hwloc_get_pcidev_by_busidstring(machine, pci_bus.c_str());
    return device == nullptr ? nullptr : hwloc_get_non_io_ancestor_obj(machine, device);
}

// This rank's placement, but without the number of its node.
Placement find_placement(const Communicator& node) {
    const Machine machine = load_machine();
    const Bitmap cpus = usable_cpus(machine.get(), node);
    const auto allowed = hwloc_topology_get_allowed_cpuset(machine.get());
    Placement placement;
    std::set<int> numa_nodes;
    for (const auto core : cores_among(machine.get(), cpus.get())) {
        // hwloc's own numbers count allowed cores only, which may differ between ranks.
        placement.core_numbers.push_back(hwloc_bitmap_first(core->complete_cpuset));
        numa_nodes.insert(numa_node_of(core));
    }
    placement.local_rank = node.rank();
    placement.local_size = node.size();
    placement.cpus = members(cpus.get());
    placement.cores = static_cast<int>(placement.core_numbers.size());
    placement.node_cores = static_cast<int>(cores_among(machine.get(), allowed).size());
    placement.numa_nodes.assign(numa_nodes.begin(), numa_nodes.end());
    placement.quota = system::processor_quota();
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check_mpi(MPI_Get_processor_name(name.data(), &length));
    placement.host.assign(name.data(), static_cast<std::size_t>(length));
    return placement;
}

// Every rank's placement, by rank; `mine` is complete but for the number of its node.
std::vector<Placement> gather_placements(const Placement& mine, const Communicator& node,
                                         const Communicator& world) {
    const auto integers = [&](int value) { return world.gather(std::int64_t{value}); };
    const auto lists = [&](const std::vector<int>& list) {
        return world.gather(format_cpus(list));
    };
    const auto leaders = world.gather(node.broadcast(static_cast<double>(world.rank()), 0));
    const auto local_ranks = integers(mine.local_rank);
    const auto local_sizes = integers(mine.local_size);
    const auto node_cores = integers(mine.node_cores);
    const auto quotas = world.gather(mine.quota.value_or(0));
    const auto hosts = world.gather(mine.host);
    const auto cpus = lists(mine.cpus);
    const auto cores = lists(mine.core_numbers);
    const auto numa_nodes = lists(mine.numa_nodes);
    const std::set<double> lowest_ranks(leaders.begin(), leaders.end());
    std::vector<Placement> placements(hosts.size());
    for (std::size_t rank = 0; rank < placements.size(); ++rank) {
        const auto number = std::distance(lowest_ranks.begin(), lowest_ranks.find(leaders[rank]));
        placements[rank] = {.host = hosts[rank],
                            .node = static_cast<int>(number),
                            .local_rank = static_cast<int>(local_ranks[rank]),
                            .local_size = static_cast<int>(local_sizes[rank]),
                            .cpus = parse_cpus(cpus[rank]),
                            .core_numbers = parse_cpus(cores[rank]),
                            .node_cores = static_cast<int>(node_cores[rank]),
                            .numa_nodes = parse_cpus(numa_nodes[rank])};
        placements[rank].cores = static_cast<int>(placements[rank].core_numbers.size());
        if (quotas[rank] > 0) {
            placements[rank].quota = quotas[rank];
        }
    }
    return placements;
}

// Ranks read their limits at different times, and may even have different ones: the least counts.
Bytes least(Bytes amount, const Communicator& node) {
    return {static_cast<std::int64_t>(node.minimum(static_cast<double>(amount.value)))};
}

NodeResources find_resources(std::span<const Placement> placements, int number,
                             const Communicator& node) {
    const system::MemoryAmounts memory = system::read_memory();
    return {.cores = usable_cores(placements, number),
            .memory_total = least(memory.total, node),
            .memory_available = least(memory.available, node)};
}

}  // namespace

// Reads the topology with its devices, which takes longer: call it only if there is a GPU.
std::vector<int> numa_nodes_near(const std::string& pci_bus) {
    const Machine machine = load_machine(Devices::kept);
    const auto place = place_of(machine.get(), pci_bus);
    return place == nullptr || place->nodeset == nullptr ? std::vector<int>{}
                                                         : members(place->nodeset);
}

std::vector<int> distances_to(const std::vector<std::string>& pci_buses,
                              const std::vector<int>& cpus) {
    const Machine machine = load_machine(Devices::kept);
    const Bitmap wanted = set_of(cpus);
    std::vector<int> distances;
    for (const std::string& pci_bus : pci_buses) {
        // Complete sets include other jobs' CPUs: the device may be next to those.
        auto part = place_of(machine.get(), pci_bus);
        while (part != nullptr &&
               hwloc_bitmap_isincluded(wanted.get(), part->complete_cpuset) == 0) {
            part = part->parent;
        }
        if (part == nullptr) {
            return {};
        }
        distances.push_back(hwloc_bitmap_weight(part->complete_cpuset));
    }
    return distances;
}

Topology::Topology(const Communicator& world)
    : rank_(world.rank()),
      node_(world.split_by_node()),
      placements_(gather_placements(find_placement(node_), node_, world)),
      nodes_(std::ranges::max(placements_, {}, &Placement::node).node + 1),
      resources_(find_resources(placements_, mine().node, node_)) {}

int Topology::busy_cores(int threads_per_rank) const {
    const auto alike = std::ranges::count_if(placements_, [&](const Placement& other) {
        return other.node == mine().node && other.cpus == mine().cpus;
    });
    return static_cast<int>(
        std::min<std::int64_t>(mine().cores, alike * std::int64_t{threads_per_rank}));
}

}  // namespace quartet::comm
