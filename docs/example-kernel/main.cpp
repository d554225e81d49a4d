#include "bench/measure/probes.hpp"
#include "bench/program/program.hpp"
#include "bench/session/arena.hpp"
#include "bench/session/variants.hpp"
#include "device/host_access.hpp"
#include "device/vector_operations.hpp"

using namespace quartet;

namespace {

constexpr double factor = 0.5;

/// y += factor x on vectors of `size` doubles, each rank on its own: a kernel to copy and change.
class Triad final : public bench::Case {
  public:
    /// Says the memory of a rank once: a counting arena plans it, an allocating one makes it.
    struct Buffers {
        Buffers(bench::Arena& arena, std::int64_t size)
            : x(arena.make<double>(size)), y(arena.make<double>(size)) {}
        device::Buffer<double> x, y;
    };
    /// 8 bytes read of x, 8 read and 8 written of y (McCalpin's STREAM counts likewise).
    static Bytes traffic(std::int64_t size) { return {3 * 8 * size}; }

    Triad(bench::Session& session, std::int64_t size)
        : session_(session), arena_(session.device()), buffers_(arena_, size) {}

    void prepare() override {  // before each run, outside of its time
        device::VectorOperations& vectors = session_.device().vectors();
        vectors.fill(1.0, buffers_.x.view(), session_.stream());
        vectors.fill(2.0, buffers_.y.view(), session_.stream());
    }
    void run(bench::Clocks& /*clocks*/) override {  // the timed step
        session_.device().vectors().axpy(factor, buffers_.x.view(), buffers_.y.view(),
                                         session_.stream());
    }
    bench::Check verify() override {  // every element, after each run
        double wrong = 0;
        device::HostAccess(session_.device(), session_.stream())
            .read(device::View<const double>(buffers_.y.view()), [&](std::int64_t, auto values) {
                wrong += static_cast<double>(values.size()) -
                         static_cast<double>(std::ranges::count(values, 2 + factor));
            });
        wrong = session_.world().sum(wrong);  // the same answer on all ranks
        return {.passed = wrong == 0, .error = wrong};
    }
    void prepare_limit() override {
        probe_.emplace(session_.device(), bench::AccessPattern::update,
                       bytes_of<double>(buffers_.x.size()));
    }
    std::vector<bench::LimitComponent> limit() override {  // the same traffic by a bare loop
        const int passes = probe_->passes_for(bench::probe_time, 1000, session_.stream());
        return {{"update",
                 {session_.world().maximum(probe_->measure(passes, session_.stream()).value)}}};
    }

  private:
    bench::Session& session_;
    bench::Arena arena_;
    Buffers buffers_;
    std::optional<bench::MemoryProbe> probe_;
};

bench::PlannedCase plan(bench::Session& session, const bench::Variant& variant, std::int64_t size) {
    const int ranks = session.world().size();
    bench::PlannedCase planned;
    planned.name = bench::row_name(session, variant, std::to_string(size));
    planned.work.bytes = ranks * Triad::traffic(size);  // counted, in MiB/s
    planned.work.workers = ranks;
    planned.traffic = Triad::traffic(size);  // of one rank, for the estimated time
    bench::Arena arena;
    Triad::Buffers(arena, size);
    Triad::Buffers(arena, size);  // the limit's probe has as much
    arena.count(device::HostAccess::memory(bytes_of<double>(size), session.device().memory_kind()),
                bench::Room::host);
    bench::announce(arena, session, planned);
    planned.make = [&session, size] { return std::make_unique<Triad>(session, size); };
    return planned;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Program program({.name = "triad",
                            .summary = "add a multiple of one vector to another",
                            .formulations = {bench::Formulation::native}});
    std::vector<std::int64_t> sizes{1 << 22};
    program.command_line().add({.name = "--size",
                                .value = "LIST",
                                .help = "elements of a rank's vectors",
                                .standard = "2^22",
                                .alias = "--sizes"},
                               bench::into(sizes, [](const std::string& text) {
                                   return bench::parse_sizes(text, std::int64_t{1} << 40);
                               }));
    return program.run(argc, argv, [&](bench::Session& session) {
        for (const bench::Variant& variant : bench::variants(session)) {
            for (const std::int64_t size : sizes) {
                session.add(plan(session, variant, size));
            }
        }
    });
}
