#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bench/measure/probes.hpp"
#include "bench/program/program.hpp"
#include "bench/session/variants.hpp"
#include "device/host_access.hpp"
#include "stencil.hpp"
#include "system/parallel_for.hpp"

// A whole kernel, to copy and change. Read from the end: main, plan, Stencil.
namespace quartet::stencil {

using device::View;

Problem::Problem(std::int64_t size, int count, const comm::Communicator& world)
    : n(size),
      sweeps(count),
      rows(block_range(size, world.size(), world.rank())),
      above(world.rank() - 1),
      below(world.rank() + 1 == world.size() ? -1 : world.rank() + 1) {
    if (size < world.size()) {
        throw UsageError(
            fmt::format("--size: {} rows are too few for {} ranks", size, world.size()));
    }
}

double Problem::wave(std::int64_t cell) const {
    const double h = std::numbers::pi / static_cast<double>(n + 1);
    return std::sin(2 * h * static_cast<double>(cell % n + 1)) *
           std::sin(3 * h * static_cast<double>(rows.begin + cell / n + 1));
}

double Problem::decay() const {
    const double h = std::numbers::pi / static_cast<double>(n + 1);
    return std::pow((std::cos(2 * h) + std::cos(3 * h)) / 2, sweeps);
}

namespace {

/// The halo of native. Where the transport can, the sweep reads the rows in the neighbours' memory.
class NativeHalo final : public Halo {
  public:
    NativeHalo(device::Arena& arena, const Problem& problem, comm::Transport& transport,
               View<const double> grid, View<const double> zeros)
        : rows_{zeros, zeros} {
        comm::ExchangePlan plan;  // by rank
        plan.send.resize(static_cast<std::size_t>(transport.comm().size()));
        plan.receive.resize(plan.send.size());
        const auto add = [&](int neighbour, View<const double> row) {
            if (neighbour >= 0) {
                plan.send[static_cast<std::size_t>(neighbour)] = device::as_bytes(row);
                plan.receive[static_cast<std::size_t>(neighbour)] = row.bytes().value;
            }
        };
        add(problem.above, grid.part(0, problem.n));
        add(problem.below, grid.part(grid.size() - problem.n, problem.n));
        exchange_ = transport.prepare_exchange(arena, plan);
        const auto received = [&](int neighbour, View<const double>& row) {
            if (neighbour >= 0) {
                row = device::view_as<double>(
                    exchange_->parts()[static_cast<std::size_t>(neighbour)]);
            }
        };
        received(problem.above, rows_.above);
        received(problem.below, rows_.below);
    }

    NearRows bring(device::Stream& stream) override {
        exchange_->run(stream);
        return rows_;
    }
    void release(device::Stream& stream) override { exchange_->release(stream); }

  private:
    NearRows rows_;
    std::unique_ptr<comm::Exchange> exchange_;
};

/// One sweep of this rank's rows. A loop that is worth vector instructions, or that runs on GPUs,
/// stands in files of its own (docs/adding-to-it.md).
struct Sweep {
    std::int64_t n;
    View<const double> from;
    NearRows near;
    View<double> to;

    void run(std::int64_t row) const {
        const double* here = from.data() + row * n;
        const double* up = row == 0 ? near.above.data() : here - n;
        const double* down = (row + 1) * n == from.size() ? near.below.data() : here + n;
        double* target = to.data() + row * n;
        for (std::int64_t i = 0; i < n; ++i) {
            const double left = i == 0 ? 0 : here[i - 1];
            const double right = i + 1 == n ? 0 : here[i + 1];
            target[i] = 0.25 * (up[i] + down[i] + left + right);
        }
    }
};

class Stencil final : public bench::Case {
  public:
    // Called twice: over an arena that only adds up sizes, then over one that allocates.
    Stencil(device::Arena& arena, bench::Session& session, const bench::Variant& variant,
            const Problem& problem)
        : session_(session), problem_(problem), rows_(arena.make<double>(2 * problem.n)) {
        comm::Transport& transport = session.transport(variant.transport);
        for (std::size_t i = 0; i < 2; ++i) {
            grids_[i] = comm::allocate<double>(arena, transport, problem.cells());
            const View<double> grid = grids_[i].view();
            if (variant.formulation == bench::Formulation::library) {
                halos_[i] = make_library_halo(problem, session.world(), grid, rows_.view());
            } else {
                halos_[i] = std::make_unique<NativeHalo>(arena, problem, transport, grid,
                                                         rows_.view().part(0, problem.n));
            }
        }
    }

    void prepare() override {  // before each run, outside of its time
        device::HostAccess(session_.device(), session_.stream())
            .write(grids_[0].view(), [&](std::int64_t first, std::span<double> cells) {
                std::ranges::generate(cells, [&] { return problem_.wave(first++); });
            });
    }
    void run() override {  // the timed step
        device::Stream& stream = session_.stream();
        for (int number = 0; number < problem_.sweeps; ++number) {
            Halo& halo = *halos_[number % 2];
            const Sweep sweep{problem_.n, grids_[number % 2].view(), halo.bring(stream),
                              grids_[1 - number % 2].view()};
            stream.enqueue(Phase::compute, "sweep", [this, &sweep] {
                system::parallel_for(session_.threads(), problem_.rows.size(),
                                     [&](std::int64_t row) { sweep.run(row); });
            });
            stream.synchronize();
            halo.release(stream);
        }
    }
    bench::Check verify() override {  // a sweep makes four roundings, of numbers that are at most 1
        double error = 0;
        device::HostAccess(session_.device(), session_.stream())
            .read(View<const double>(grids_[problem_.sweeps % 2].view()),
                  [&](std::int64_t first, std::span<const double> cells) {
                      for (const double cell : cells) {
                          const double off =
                              std::abs(cell - problem_.decay() * problem_.wave(first++));
                          error = off <= error ? error : off;  // NaN stays
                      }
                  });
        error = session_.world().maximum(error);  // the same answer on all ranks
        const double bound = 4 * (problem_.sweeps + 2) * std::numeric_limits<double>::epsilon();
        return {.passed = error <= bound, .error = error, .tolerance = bound};
    }
    void prepare_limit(device::Arena& arena) override {
        probe_.emplace(arena, session_.device(), bench::AccessPattern::copy,
                       bytes_of<double>(problem_.cells()));
    }
    std::vector<bench::LimitComponent> limit() override {  // each cell is read and written once
        const int passes = probe_->passes_for(bench::probe_time, 1000, session_.stream());
        const double sweep = probe_->measure(passes, session_.stream()).value;
        return {{"copying the grid", {problem_.sweeps * session_.world().maximum(sweep)}}};
    }

  private:
    bench::Session& session_;
    Problem problem_;
    device::Buffer<double> rows_;      ///< zeros beyond the edge; library: the neighbours' rows
    device::Buffer<double> grids_[2];  ///< before a sweep and after it, in turn
    std::unique_ptr<Halo> halos_[2];   ///< of the grids
    std::optional<bench::MemoryProbe> probe_;
};

// Throws Unavailable for combinations that do not exist, on all ranks alike.
void require_available(bench::Session& session, const bench::Variant& variant) {
    bench::require_formulation(session, variant.formulation);
    const comm::Transport& transport = session.transport(variant.transport);
    if (variant.formulation == bench::Formulation::library) {
        comm::require_plain_mpi(transport, "formulation library");
    }
    if (device::has_own_memory(session.device())) {
        throw Unavailable("there is no sweep for GPUs: add --device host");
    }
}

// The case before anything is allocated.
bench::PlannedCase plan(bench::Session& session, const bench::Variant& variant,
                        const Problem& problem) {
    bench::PlannedCase planned;
    planned.name = bench::row_name(session, variant, std::to_string(problem.n));
    planned.name.size_key = "n";
    planned.name.factors.emplace_back("sweeps", std::to_string(problem.sweeps));
    planned.work.bytes = {16 * problem.sweeps * problem.n * problem.n};  // counted, in MiB/s
    planned.work.workers = session.world().size();
    planned.traffic = {16 * problem.sweeps * problem.cells()};  // of one rank: to estimate the time
    planned.make = [&session, variant, problem](device::Arena& arena) {
        require_available(session, variant);
        return std::make_unique<Stencil>(arena, session, variant, problem);
    };
    return planned;
}

}  // namespace
}  // namespace quartet::stencil

using namespace quartet;

int main(int argc, char** argv) {
    bench::Program program(
        {.name = "stencil",
         .summary = "sweep a five-point stencil over a grid",
         .formulations = {bench::Formulation::native, bench::Formulation::library}});
    std::vector<std::int64_t> sizes{4096};
    int sweeps = 100;
    bench::CommandLine& flags = program.command_line();
    flags.add({.name = "--size",
               .value = "LIST",
               .help = "rows and columns of the grid",
               .standard = "4096",
               .alias = "--sizes"},
              bench::into(sizes, [](const std::string& text) {
                  return bench::parse_sizes(text, std::int64_t{1} << 20);
              }));
    flags.add({.name = "--sweeps", .value = "N", .help = "sweeps in one run", .standard = "100"},
              bench::into(sweeps, [](const std::string& text) {
                  return static_cast<int>(bench::parse_count(text, 1, 1 << 20));
              }));
    flags.add({2, "--size 1k:4k --transport mpi,shm", "three grids over two transports"});

    return program.run(argc, argv, [&](bench::Session& session) {
        for (const bench::Variant& variant : bench::variants(session)) {
            for (const std::int64_t size : sizes) {
                session.add(stencil::plan(session, variant, {size, sweeps, session.world()}));
            }
        }
    });
}
