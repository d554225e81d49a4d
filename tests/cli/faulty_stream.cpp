#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/program/program.hpp"
#include "stream/plan.hpp"
#include "stream/options.hpp"

// The stream program with transports that go wrong: what a job then says, and whether it ends, is
// seen from outside only.

using namespace quartet;

namespace {

enum class Fault { corrupts, throws, dies };

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
    FaultyTransport(std::string name, std::unique_ptr<comm::Transport> sound, int rank, Fault fault)
        : name_(std::move(name)), sound_(std::move(sound)), rank_(rank), fault_(fault) {}

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] bool can(comm::Capability capability) const override {
        return capability == comm::Capability::push;
    }
    device::Allocation allocate(Bytes size) override { return sound_->allocate(size); }
    std::unique_ptr<comm::Push> prepare_push(const comm::PushPlan& plan) override {
        return std::make_unique<FaultyPush>(sound_->prepare_push(plan), plan, rank_, fault_);
    }

  private:
    std::string name_;
    std::unique_ptr<comm::Transport> sound_;
    int rank_;
    Fault fault_;
};

comm::TransportKind faulty(const std::string& name, Fault fault) {
    const comm::TransportKind sound = comm::mpi_transport();
    return {name, sound.why_not, [=](const comm::TransportContext& context) {
                return std::make_unique<FaultyTransport>(name, sound.make(context),
                                                         context.world.rank(), fault);
            }};
}

comm::TransportKind absent(const std::string& reason) {
    return {"absent", [=](const comm::TransportContext&) { return std::optional(reason); }, {}};
}

}  // namespace

int main(int argc, char** argv) {
    comm::TransportRegistry registry = comm::TransportRegistry::standard();
    registry.add(faulty("corrupting", Fault::corrupts));
    registry.add(faulty("throwing", Fault::throws));
    registry.add(faulty("dying", Fault::dies));
    registry.add(absent("never there"));
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
