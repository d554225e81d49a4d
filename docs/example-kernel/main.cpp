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
namespace stencil {

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

/// The halo of native. If the transport can, the sweep reads the rows in the neighbours' memory.
class NativeHalo final : public Halo {
  public:
    NativeHalo(device::Arena& arena, const Problem& problem, comm::Transport& transport,
               View<const double> zeros)
        : n_(problem.n),
          device_(arena.device()),
          edges_(comm::allocate<double>(arena, transport, problem.neighbours() * n_)) {
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(transport.comm().size()));
        for (const int neighbour : {problem.above, problem.below}) {
            if (neighbour >= 0) {
                sizes[static_cast<std::size_t>(neighbour)] = bytes_of<double>(n_).value;
            }
        }
        const View<const double> edges = edges_.view();  // as much is received as is sent
        exchange_ = transport.prepare_exchange(
            arena, {comm::consecutive(device::as_bytes(edges), sizes), sizes});
        const auto from = [&](int neighbour) {
            return neighbour < 0 ? zeros
                                 : device::view_as<double>(
                                       exchange_->parts()[static_cast<std::size_t>(neighbour)]);
        };
        above_ = from(problem.above);
        below_ = from(problem.below);
        has_above_ = problem.above >= 0;
        has_below_ = problem.below >= 0;
    }

    void bring(View<const double> grid, device::Stream& stream) override {
        if (has_above_) {
            copy(grid.part(0, n_), edges_.view().part(0, n_), stream);
        }
        if (has_below_) {
            copy(grid.part(grid.size() - n_, n_), edges_.view().part(edges_.size() - n_, n_),
                 stream);
        }
        exchange_->run(stream);
    }
    void release(device::Stream& stream) override { exchange_->release(stream); }
    [[nodiscard]] View<const double> above() const override { return above_; }
    [[nodiscard]] View<const double> below() const override { return below_; }

  private:
    void copy(View<const double> from, View<double> to, device::Stream& stream) {
        device_.copy(device::as_bytes(from), device::as_bytes(to), stream);
    }

    std::int64_t n_;
    device::Device& device_;
    device::Buffer<double> edges_;  ///< the rows that neighbours need
    std::unique_ptr<comm::Exchange> exchange_;
    View<const double> above_, below_;
    bool has_above_ = false, has_below_ = false;
};

/// One sweep of this rank's rows. A kernel of the suite has its loops in files that are compiled
/// for each instruction set, and in files for GPUs.
struct Sweep {
    std::int64_t n;
    View<const double> from;
    View<const double> above, below;
    View<double> to;

    void run(std::int64_t row) const {
        const double* here = from.data() + row * n;
        const double* up = row == 0 ? above.data() : here - n;
        const double* down = (row + 1) * n == from.size() ? below.data() : here + n;
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
        : session_(session),
          problem_(problem),
          grids_{arena.make<double>(problem.cells()), arena.make<double>(problem.cells())},
          rows_(arena.make<double>(2 * problem.n)) {
        if (variant.formulation == bench::Formulation::library) {
            halo_ = make_library_halo(problem, session.world(), rows_.view());
        } else {
            halo_ =
                std::make_unique<NativeHalo>(arena, problem, session.transport(variant.transport),
                                             rows_.view().part(0, problem.n));
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
            const View<const double> from = grids_[number % 2].view();
            halo_->bring(from, stream);
            const Sweep sweep{problem_.n, from, halo_->above(), halo_->below(),
                              grids_[1 - number % 2].view()};
            stream.enqueue(Phase::compute, "sweep", [this, &sweep] {
                system::parallel_for(session_.threads(), problem_.rows.size(),
                                     [&](std::int64_t row) { sweep.run(row); });
            });
            stream.synchronize();
            halo_->release(stream);
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
    device::Buffer<double> grids_[2];  ///< before a sweep and after it, in turn
    device::Buffer<double> rows_;      ///< zeros beyond the edge; library: the neighbours' rows
    std::unique_ptr<Halo> halo_;
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
}  // namespace stencil

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
