#pragma once

#include <memory>
#include <vector>

#include "cg/cg_session.hpp"
#include "cg/loop.hpp"
#include "cg/problem/linear_system.hpp"

namespace quartet::cg {

/// A system on all ranks, ready to be solved.
struct Solving {
    Solving(bench::Session& session, const LinearSystem& system, Storage storage, double scale = 1)
        : rows(block_range(system.size(), session.world().size(), session.world().rank())),
          right_side(device::allocate<double>(session.device(), rows.size())),
          loop(make_loop(session, session.transport("mpi"), {"random", system.size(), 0, storage},
                         bench::Formulation::native)) {
        loop->share()->fill([&](std::int64_t row, std::int64_t first, std::span<double> out) {
            system.read_row(row, first, out);
        });
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            right_side.span()[static_cast<std::size_t>(row - rows.begin)] =
                scale * system.right_side()[static_cast<std::size_t>(row)];
        }
    }

    std::vector<double> run(int iterations) {
        IterationClock nobody(0);
        return run(iterations, nobody);
    }
    std::vector<double> run(int iterations, Observer& observer) {
        std::vector<double> history(static_cast<std::size_t>(iterations) + 1);
        loop->restart(right_side.view());
        loop->run(history, observer);
        return history;
    }

    Range rows;  ///< this rank's
    device::Buffer<double> right_side;
    std::unique_ptr<CgLoop> loop;
};

}  // namespace quartet::cg
