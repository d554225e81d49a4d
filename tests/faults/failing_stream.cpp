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

// The stream program with transports that fail: what a job then says, and whether it ends, is seen
// from outside only.

using namespace quartet;

namespace {

enum class Failing { throws, dies, starves, is_barred };

constexpr int sound_runs = 2;  // it fails while the job is measuring
constexpr int failing_sender = 1;

/// Pushes soundly, but for one run.
class FailingPush final : public comm::Push {
  public:
    FailingPush(std::unique_ptr<comm::Push> sound, int rank, Failing way)
        : sound_(std::move(sound)), rank_(rank), way_(way) {}

    void run(int count, device::Stream& stream) override {
        const bool fails = runs_++ == sound_runs;
        if (fails && rank_ == failing_sender && way_ == Failing::throws) {
            throw Failure("thrown in the middle of a run");
        }
        if (fails && rank_ == failing_sender && way_ == Failing::dies) {
            std::raise(SIGKILL);
        }
        if (fails && way_ == Failing::starves) {  // on all ranks
            throw std::bad_alloc();
        }
        if (fails && way_ == Failing::is_barred) {
            throw std::filesystem::filesystem_error(
                "status", "/some/where", std::make_error_code(std::errc::permission_denied));
        }
        sound_->run(count, stream);
    }

  private:
    std::unique_ptr<comm::Push> sound_;
    int rank_;
    Failing way_;
    int runs_ = 0;
};

/// The pushes of a sound transport, one of them failing.
class FailingTransport final : public comm::Transport {
  public:
    FailingTransport(const comm::TransportTraits& traits, std::unique_ptr<comm::Transport> sound,
                     int rank, Failing way)
        : traits_(traits), sound_(std::move(sound)), rank_(rank), way_(way) {}

    [[nodiscard]] const comm::TransportTraits& traits() const override { return traits_; }
    device::Allocation allocate(Bytes size) override { return sound_->allocate(size); }
    std::unique_ptr<comm::Push> prepare_push(const comm::PushPlan& plan) override {
        return std::make_unique<FailingPush>(sound_->prepare_push(plan), rank_, way_);
    }

  private:
    comm::TransportTraits traits_;
    std::unique_ptr<comm::Transport> sound_;
    int rank_;
    Failing way_;
};

comm::TransportKind failing(std::string_view name, Failing way) {
    const comm::TransportKind sound = comm::TransportRegistry::standard().kind("mpi");
    const comm::TransportTraits traits{.name = name, .capabilities = {comm::Capability::push}};
    return {.traits = traits,
            .why_not = sound.why_not,
            .make = [=](const comm::TransportContext& context) {
                return std::make_unique<FailingTransport>(traits, sound.make(context),
                                                          context.world.rank(), way);
            }};
}

}  // namespace

int main(int argc, char** argv) {
    comm::TransportRegistry registry = comm::TransportRegistry::standard();
    registry.add(failing("throwing", Failing::throws));
    registry.add(failing("dying", Failing::dies));
    registry.add(failing("starving", Failing::starves));
    registry.add(failing("barred", Failing::is_barred));
    bench::Program program({.name = "stream",
                            .summary = "pushes that fail",
                            .formulations = {bench::Formulation::native},
                            .least_ranks = 2},
                           registry);
    stream::Options options;
    stream::add_options(program.command_line(), options);

    return program.run(argc, argv,
                       [&](bench::Session& session) { stream::plan_cases(session, options); });
}
