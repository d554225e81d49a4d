#include <csignal>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "bench/program/program.hpp"
#include "stream/options.hpp"
#include "stream/plan.hpp"

// The stream program with transports that go wrong: what a job then says, and whether it ends, is
// seen from outside only.

using namespace quartet;

namespace {

enum class Fault { corrupts, throws, dies, starves, is_barred };

constexpr int sound_runs = 2;  // the fault comes while the job is measuring
constexpr int faulty_sender = 1;

/// Pushes soundly, but for one run.
class FaultyPush final : public comm::Push {
  public:
    FaultyPush(std::unique_ptr<comm::Push> sound, comm::PushPlan plan, int rank, Fault fault)
        : sound_(std::move(sound)), plan_(std::move(plan)), rank_(rank), fault_(fault) {}

    void run(int count, device::Stream& stream) override {
        const bool fails = runs_++ == sound_runs;
        if (fails && rank_ == faulty_sender && fault_ == Fault::throws) {
            throw Failure("thrown in the middle of a run");
        }
        if (fails && rank_ == faulty_sender && fault_ == Fault::dies) {
            std::raise(SIGKILL);
        }
        if (fails && fault_ == Fault::starves) {  // on all ranks
            throw std::bad_alloc();
        }
        if (fails && fault_ == Fault::is_barred) {
            throw std::filesystem::filesystem_error(
                "status", "/some/where", std::make_error_code(std::errc::permission_denied));
        }
        sound_->run(count, stream);
        if (fails && rank_ == plan_.receiver && fault_ == Fault::corrupts) {
            stream.synchronize();
            plan_.target.data()[plan_.target.size() / 2] += 1;
        }
    }

  private:
    std::unique_ptr<comm::Push> sound_;
    comm::PushPlan plan_;
    int rank_;
    Fault fault_;
    int runs_ = 0;
};

/// The pushes of a sound transport, one of them faulty.
class FaultyTransport final : public comm::Transport {
  public:
    FaultyTransport(const comm::TransportTraits& traits, std::unique_ptr<comm::Transport> sound,
                    int rank, Fault fault)
        : traits_(traits), sound_(std::move(sound)), rank_(rank), fault_(fault) {}

    [[nodiscard]] const comm::TransportTraits& traits() const override { return traits_; }
    device::Allocation allocate(Bytes size) override { return sound_->allocate(size); }
    std::unique_ptr<comm::Push> prepare_push(const comm::PushPlan& plan) override {
        return std::make_unique<FaultyPush>(sound_->prepare_push(plan), plan, rank_, fault_);
    }

  private:
    comm::TransportTraits traits_;
    std::unique_ptr<comm::Transport> sound_;
    int rank_;
    Fault fault_;
};

comm::TransportKind faulty(std::string_view name, Fault fault) {
    const comm::TransportKind sound = comm::TransportRegistry::standard().kind("mpi");
    const comm::TransportTraits traits{.name = name, .capabilities = {comm::Capability::push}};
    return {.traits = traits,
            .why_not = sound.why_not,
            .make = [=](const comm::TransportContext& context) {
                return std::make_unique<FaultyTransport>(traits, sound.make(context),
                                                         context.world.rank(), fault);
            }};
}

}  // namespace

int main(int argc, char** argv) {
    comm::TransportRegistry registry = comm::TransportRegistry::standard();
    registry.add(faulty("corrupting", Fault::corrupts));
    registry.add(faulty("throwing", Fault::throws));
    registry.add(faulty("dying", Fault::dies));
    registry.add(faulty("starving", Fault::starves));
    registry.add(faulty("barred", Fault::is_barred));
    registry.add({.traits = {.name = "absent"}, .absence = "never there"});
    bench::Program program({.name = "stream",
                            .summary = "pushes that go wrong",
                            .formulations = {bench::Formulation::native},
                            .least_ranks = 2},
                           registry);
    stream::Options options;
    stream::add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { stream::plan_cases(session, options); });
}
