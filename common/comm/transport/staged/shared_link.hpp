#pragma once

#include <memory>
#include <vector>

#include "comm/transport/staged/staged_link.hpp"
#include "comm/windows/window_pool.hpp"

namespace quartet::comm {

/// Links between the ranks of one node, whose wire is page-locked shared memory: what one GPU has
/// copied into it the other copies out of, with no copy by the CPU between. By rank of `node`;
/// nothing at this rank's own place. `chunk` is the largest. Collective, making and destroying; the
/// pool, of windows that are page-locked and shared by `node`, outlives them.
struct SharedLinks {
    device::Allocation memory;
    std::vector<std::unique_ptr<StagedLink>> links;
};
SharedLinks make_shared_links(WindowPool& windows, const Communicator& node, Bytes chunk);

/// One of them, over two rings that begin on pages and are zero at first. Local.
std::unique_ptr<StagedLink> make_shared_link(std::byte* out, std::byte* in, Bytes chunk);
/// The size of a ring.
Bytes shared_ring_memory(Bytes chunk);

/// The share of each of `ranks` in the windows.
Bytes shared_links_memory(int ranks, Bytes chunk);

}  // namespace quartet::comm
