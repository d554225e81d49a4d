#pragma once

#include <memory>

#include "bench/session/session.hpp"
#include "core/block_range.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::stencil {

/// One case: Jacobi sweeps of a five-point stencil over an N x N grid, with zeros beyond its edge.
/// Each rank has a block of rows. Each sweep needs the nearest row of each neighbour.
struct Problem {
    std::int64_t n = 0;
    int sweeps = 0;
    Range rows;      ///< of this rank
    int above = -1;  ///< the rank with the rows before these; -1 if there is none
    int below = -1;  ///< the rank with the rows after these

    Problem(std::int64_t size, int count, const comm::Communicator& world);

    [[nodiscard]] std::int64_t cells() const { return rows.size() * n; }
    /// sin(2 pi x) sin(3 pi y) at this rank's cell number `cell`.
    [[nodiscard]] double wave(std::int64_t cell) const;
    /// The factor by which all sweeps of one run multiply that wave.
    [[nodiscard]] double decay() const;
};

/// The rows beside those of this rank: its neighbours' nearest rows, or zeros beyond the edge.
struct NearRows {
    device::View<const double> above, below;
};

/// Brings the neighbours' rows of one grid. Each formulation has its own way to do that.
class Halo {
  public:
    virtual ~Halo() = default;
    /// Collective. The rows stay until release().
    virtual NearRows bring(device::Stream& stream) = 0;
    /// Tells the neighbours that the rows were read: they may write theirs again. Collective.
    virtual void release(device::Stream& stream) = 0;
};

/// The halo by plain MPI. `rows` has memory for two rows, filled with zeros. Local.
std::unique_ptr<Halo> make_library_halo(const Problem& problem, const comm::Communicator& world,
                                        device::View<const double> grid, device::View<double> rows);

}  // namespace quartet::stencil
