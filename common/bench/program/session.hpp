#pragma once

#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/program/case.hpp"
#include "bench/program/command_line.hpp"
#include "bench/report/gpus.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/mpi/message_copy.hpp"
#include "comm/topology/roles.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/transport_registry.hpp"
#include "core/environment.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::bench {

/// What a program is, beside its flags.
struct ProgramDescription {
    std::string name;
    std::string summary{};
    /// Those that it has.
    std::vector<Formulation> formulations{all_formulations.begin(), all_formulations.end()};
    int least_ranks = 1;
    comm::MessageCopy message_copy = comm::MessageCopy::as_configured;
};

/// Spans that each line of a timeline keeps.
inline constexpr std::size_t traced_spans_per_track = 1 << 16;

/// Everything that one run of a program uses: its ranks, device, transports, trace and options. No
/// state of the suite lives outside of it.
class Session {
  public:
    /// Collective. Throws UsageError or Unavailable where the options cannot be served. Device
    /// `auto` is cuda where every rank sees a GPU and one of the transports moves its memory, else
    /// the host.
    Session(ProgramDescription description, const CommonOptions& options,
            comm::TransportRegistry registry);

    [[nodiscard]] const ProgramDescription& description() const { return description_; }
    [[nodiscard]] const CommonOptions& options() const { return options_; }
    [[nodiscard]] const comm::Communicator& world() const { return world_; }
    [[nodiscard]] const comm::Topology& topology() const { return topology_; }
    [[nodiscard]] const comm::Roles& roles() const { return roles_; }
    [[nodiscard]] const comm::TransportRegistry& registry() const { return registry_; }
    [[nodiscard]] bool is_root() const { return world_.rank() == 0; }
    [[nodiscard]] int threads() const { return threads_; }
    Environment& environment() { return environment_; }
    Trace& trace() { return trace_; }
    device::Device& device() { return *device_; }
    /// The GPUs of all ranks; none on the host.
    [[nodiscard]] const Gpus& gpus() const { return gpus_; }
    Gpus& gpus() { return gpus_; }
    /// The stream that cases compute on.
    device::Stream& stream() { return *stream_; }
    [[nodiscard]] comm::TransportContext transport_context();

    /// The transport of that name, made at its first use. Collective. Throws Unavailable.
    comm::Transport& transport(const std::string& name);

    /// Formulations and transports to run in turn, `auto` resolved, each once. `library` is plain
    /// MPI: where other transports are asked for beside mpi it is there for mpi alone; likewise
    /// `dataflow` beside rma, which has no queues. Collective.
    [[nodiscard]] std::vector<Variant> variants();

    /// Throws Unavailable unless the program has the formulation.
    void require_formulation(Formulation formulation) const;

    /// When the session began, and the machine's load then: before it was ours.
    [[nodiscard]] std::time_t started() const { return started_; }
    [[nodiscard]] const std::vector<double>& load_average() const { return load_average_; }

    /// Notes the value that an option has in the end, where it is not what the command line says.
    void resolve(const std::string& option, const std::string& value) { resolved_[option] = value; }
    [[nodiscard]] const std::map<std::string, std::string>& resolved() const { return resolved_; }

    /// Adds a case to what this session will run.
    void add(PlannedCase planned) { plan_.push_back(std::move(planned)); }
    [[nodiscard]] const std::vector<PlannedCase>& plan() const { return plan_; }
    std::vector<PlannedCase>& plan() { return plan_; }

    /// What a row is called that is measured here.
    [[nodiscard]] RowName row_name(const Variant& variant, std::string size) const;

  private:
    std::unique_ptr<device::Device> make_device();
    std::unique_ptr<device::Device> make_cuda_device();
    bool serves_transports(device::Device& device);

    ProgramDescription description_;
    CommonOptions options_;
    comm::TransportRegistry registry_;
    Environment environment_;
    Trace trace_;
    comm::Communicator world_;
    comm::Topology topology_;
    comm::Roles roles_;
    int threads_;
    std::unique_ptr<device::Device> device_;
    Gpus gpus_;
    std::unique_ptr<device::Stream> stream_;
    std::map<std::string, std::unique_ptr<comm::Transport>> transports_;
    std::vector<PlannedCase> plan_;
    std::time_t started_ = std::time(nullptr);
    std::vector<double> load_average_;
    std::map<std::string, std::string> resolved_;
};

}  // namespace quartet::bench
