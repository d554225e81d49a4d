#pragma once

#include <memory>
#include <ostream>
#include <vector>

#include "cg/cg_session.hpp"
#include "cg/native/native_solver.hpp"
#include "cg/system/linear_system.hpp"

namespace quartet::cg {

struct Way {
    Algorithm algorithm;
    Storage storage;
};

inline void PrintTo(const Way& way, std::ostream* out) {
    *out << name(way.algorithm) << ", " << name(way.storage);
}

/// A system on all ranks, ready to be solved.
struct Solving {
    Solving(bench::Session& session, const LinearSystem& system, const Way& way, double scale = 1)
        : problem{"", system.size(), 0, way.storage, way.algorithm},
          matrix(session, buffers_of(session, problem), session.transport("mpi"), problem),
          right_side(device::allocate<double>(session.device(), matrix.rows().size())),
          iteration(make_iteration(
              session,
              plan_iteration(plan, way.algorithm, matrix.rows().size(), session.world().size()),
              matrix, session.transport("mpi"), "A")) {
        matrix.share().fill([&](std::int64_t row, std::int64_t first, std::span<double> out) {
            system.read_row(row, first, out);
        });
        for (std::int64_t row = matrix.rows().begin; row < matrix.rows().end; ++row) {
            right_side.span()[static_cast<std::size_t>(row - matrix.rows().begin)] =
                scale * system.right_side()[static_cast<std::size_t>(row)];
        }
    }

    std::vector<double> run(int iterations) {
        IterationClock nobody(0);
        return run(iterations, nobody);
    }
    std::vector<double> run(int iterations, Observer& observer) {
        std::vector<double> history(static_cast<std::size_t>(iterations) + 1);
        iteration->restart(right_side.view());
        iteration->run(history, observer);
        return history;
    }

    bench::BufferPlan plan;
    Problem problem;
    DistributedMatrix matrix;
    device::Buffer<double> right_side;
    std::unique_ptr<Iteration> iteration;
};

}  // namespace quartet::cg
