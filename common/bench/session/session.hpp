#pragma once

#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/session/case.hpp"
#include "bench/session/gpus.hpp"
#include "bench/session/options.hpp"
#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "core/environment.hpp"
#include "core/trace.hpp"
#include "device/device_registry.hpp"
#include "system/signal_flag.hpp"

namespace quartet::bench {

/// The reason of the Unavailable that `work` throws; nothing if it throws none.
template <typename Work>
std::optional<std::string> why_unavailable(const Work& work) {
    try {
        work();
    } catch (const Unavailable& unavailable) {
        return unavailable.what();
    }
    return std::nullopt;
}

/// The facts of a program, except its flags.
struct ProgramDescription {
    std::string name;
    std::string summary{};
    /// The formulations that it has.
    std::vector<Formulation> formulations{all_formulations.begin(), all_formulations.end()};
    int least_ranks = 1;
};

/// The part of a document that describes a run, beside its rows. Local.
struct RunRecord {
    /// Reads the machine's load and the environment variables that may change results.
    RunRecord();

    std::time_t started;               ///< when the session began
    std::vector<double> load_average;  ///< 1, 5 and 15 minutes before that; empty if unknown
    Environment environment;           ///< the variables that were read
    /// Values of options that were not given or were changed, by the option's name.
    std::map<std::string, std::string> resolved;
    Seconds start_up;  ///< of this rank, from the launch until the devices were ready
};

/// The time since the launch. That is the moment in QUARTET_LAUNCHED ("HOST SECONDS", by the clock
/// since the host's start, which nobody sets), if the scripts have set the variable on this host;
/// otherwise the moment when the system started this process.
Seconds since_launch(Environment& environment);

/// Whether a signal has asked this rank to stop. Copies share their state. All members are local.
class StopRequest {
  public:
    /// From now on, a signal makes this request instead of ending the process. At most one object
    /// (and its copies) in a process does that. Forgets earlier signals.
    void take_signals() {
        signals_.reset();
        signals_ = std::make_shared<system::SignalFlag>();
    }
    [[nodiscard]] bool is_made() const { return signals_ && signals_->raised(); }
    /// Call it once the ranks have agreed to stop: see SignalFlag::ignore_later().
    void ignore_later() {
        if (signals_) {
            signals_->ignore_later();
        }
    }

  private:
    std::shared_ptr<system::SignalFlag> signals_;
};

/// Spans that each line of a timeline keeps.
inline constexpr std::size_t traced_spans_per_track = 1 << 16;

/// Everything that one run of a program uses: its ranks, device, transports, trace and options. The
/// suite has no state outside of it.
class Session {
  public:
    /// Device `auto` is the first kind of accelerator that every rank can have and whose memory one
    /// of the transports moves, else the host. Collective. Throws UsageError or Unavailable, on all
    /// ranks alike.
    Session(ProgramDescription description, const CommonOptions& options,
            comm::TransportRegistry registry);

    [[nodiscard]] const ProgramDescription& description() const { return description_; }
    [[nodiscard]] const CommonOptions& options() const { return options_; }
    [[nodiscard]] const comm::Communicator& world() const { return world_; }
    [[nodiscard]] const comm::Topology& topology() const { return topology_; }
    [[nodiscard]] const comm::TransportRegistry& registry() const { return registry_; }
    [[nodiscard]] bool is_root() const { return world_.rank() == 0; }
    [[nodiscard]] int threads() const { return threads_; }
    /// The instruction set of the loops that the ranks' processors run, or a list where the ranks
    /// differ; empty if the processors compute nothing.
    [[nodiscard]] const std::string& isa() const { return isa_; }
    Trace& trace() { return trace_; }
    /// The kinds of devices that there are.
    [[nodiscard]] const device::DeviceRegistry& devices() const { return devices_; }
    device::Device& device() { return *device_; }
    /// The device on which reducers of a data flow compute: the CPU.
    device::Device& reducer_device() { return host_ ? *host_ : *device_; }
    /// The GPUs of all ranks; none on the host.
    [[nodiscard]] const Gpus& gpus() const { return gpus_; }
    Gpus& gpus() { return gpus_; }
    /// The stream that cases compute on.
    device::Stream& stream() { return *stream_; }
    /// The stream of reducer_device() that reducers of a data flow compute on.
    device::Stream& reducer_stream() { return host_ ? *host_stream_ : *stream_; }
    [[nodiscard]] comm::TransportContext transport_context() { return transport_context(*device_); }

    /// The transport of that name, made at its first use. Collective. Throws Unavailable.
    comm::Transport& transport(const std::string& name);

    /// Plain MPI between host memories, where the payloads of queues are: probes of links use it.
    /// Collective. Throws Unavailable.
    comm::Transport& message_transport();

    StopRequest& stop_request() { return stop_request_; }

    [[nodiscard]] RunRecord& record() { return record_; }
    /// Records the value of an option that the command line leaves open.
    void resolve(const std::string& option, const std::string& value) {
        record_.resolved[option] = value;
    }

    /// Throws UsageError, on all ranks alike, if a file of --json or --trace cannot be written.
    /// Collective.
    void require_writable_results() const;

    /// Adds a case to what this session will run.
    void add(PlannedCase planned) { plan_.push_back(std::move(planned)); }
    [[nodiscard]] const std::vector<PlannedCase>& plan() const { return plan_; }
    std::vector<PlannedCase>& plan() { return plan_; }

  private:
    void require_gpu_for_its_flags() const;
    std::unique_ptr<device::Device> choose_device();
    std::unique_ptr<device::Device> make_device(const device::DeviceKind& kind);
    bool serves_transports(device::Device& device);
    comm::TransportContext transport_context(device::Device& device);
    [[nodiscard]] std::string isa_of_all() const;

    StopRequest stop_request_;
    ProgramDescription description_;
    CommonOptions options_;
    comm::TransportRegistry registry_;
    device::DeviceRegistry devices_ = device::DeviceRegistry::standard();
    RunRecord record_;
    Trace trace_;
    comm::Communicator world_;
    comm::Topology topology_;
    int threads_;
    std::unique_ptr<device::Device> device_;
    Gpus gpus_;
    std::unique_ptr<device::Stream> stream_;
    std::unique_ptr<device::Device> host_;  ///< beside a GPU, in data flows
    std::unique_ptr<device::Stream> host_stream_;
    std::string isa_;
    std::map<std::string, std::unique_ptr<comm::Transport>> transports_;
    std::unique_ptr<comm::Transport> host_messages_;  ///< over host_
    std::vector<PlannedCase> plan_;
};

/// A rank's role in the planned cases: "worker", "reducer", or "worker or reducer" where cases
/// differ. Local; the same on all ranks.
std::string role_of(const Session& session, int rank);

/// How many ranks have this role in any of the planned cases. Local; the same on all ranks.
int ranks_with(const Session& session, comm::Role role);

}  // namespace quartet::bench
