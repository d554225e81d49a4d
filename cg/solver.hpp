#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/program/session.hpp"
#include "cg/native/iteration.hpp"
#include "cg/problem.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// One formulation: a matrix over the ranks, and the iterations that solve its system.
class Solver {
  public:
    virtual ~Solver() = default;

    /// This rank's share of the matrix, to be filled; nothing on a reducer. Local.
    virtual device::MatrixShare* share() = 0;
    virtual Iteration& iteration() = 0;
    /// All rows of a vector of the iteration's state, on all ranks. The direction may be lost.
    /// Collective.
    virtual std::vector<double> whole(device::View<const double> rows) = 0;
};

/// Whether the CPU cannot use what the device works on.
inline bool has_own_memory(const device::Device& device) {
    return device.memory_kind() == device::MemoryKind::device;
}

/// A vector of the device's as the CPU has it. Local.
std::vector<double> on_host(device::View<const double> vector, device::Device& device,
                            device::Stream& stream);

/// What a solver takes of a rank's memory.
struct SolverMemory {
    Bytes device;   ///< of the device's
    Bytes host;     ///< of the CPU's, whatever the device
    Bytes windows;  ///< of both, in windows where the transport has such
};

/// Zeros. Borrows session and transport. Collective. Throws Unavailable where the transport cannot
/// do what is needed.
std::unique_ptr<Solver> make_solver(bench::Session& session, comm::Transport& transport,
                                    const Problem& problem, const bench::Variant& variant);
/// Of this rank. Local.
SolverMemory solver_memory(const bench::Session& session, const Problem& problem,
                           const bench::Variant& variant, const device::Device& device);

}  // namespace quartet::cg
