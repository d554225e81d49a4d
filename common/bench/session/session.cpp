#include "bench/session/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include "comm/mpi/communicator.hpp"
#include "core/files/file.hpp"
#include "core/nearest_word.hpp"
#include "system/system_text.hpp"

namespace quartet::bench {

namespace {

constexpr Seconds most_credible{24 * 3600.0};  // beyond it the variable is of an earlier launch

double seconds_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<Seconds> since_launcher(std::string_view text) {
    if (system::take_until(text, ' ') != host_name()) {
        return std::nullopt;
    }
    double begun = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), begun);
    const Seconds passed{seconds_of(CLOCK_BOOTTIME) - begun};
    const bool is_whole = error == std::errc{} && end == text.data() + text.size();
    return is_whole && passed.value >= 0 && passed < most_credible ? std::optional(passed)
                                                                   : std::nullopt;
}

// proc_pid_stat(5): the 22nd field, in clock ticks since the system's start; the 2nd is in brackets
// and may hold anything.
Seconds since_process() {
    constexpr int spaces_before = 20;
    const std::string text = system::read_text("/proc/self/stat").value_or("");
    std::string_view rest = text;
    rest.remove_prefix(std::min(text.rfind(')') + 1, text.size()));
    for (int field = 0; field < spaces_before; ++field) {
        system::take_until(rest, ' ');
    }
    const auto ticks = system::parse_number(rest);
    const double begun =
        static_cast<double>(ticks.value_or(0)) / static_cast<double>(sysconf(_SC_CLK_TCK));
    return {ticks ? std::max(0.0, seconds_of(CLOCK_BOOTTIME) - begun) : 0.0};
}

}  // namespace

RunRecord::RunRecord() : started(std::time(nullptr)), load_average(3) {
    load_average.resize(static_cast<std::size_t>(std::max(0, getloadavg(load_average.data(), 3))));
    for (const char* prefix : {"OMPI_MCA_", "PRTE_", "PMIX_MCA_", "MPICH_", "I_MPI_", "FI_", "UCX_",
                               "OMP_", "GOMP_", "KMP_", "OPENBLAS_", "BLIS_", "MKL_", "SLURM_",
                               "CUDA_", "CUBLAS_", "NVIDIA_", "NCCL_", "QUARTET_"}) {
        environment.record_matching(prefix);
    }
}

Seconds since_launch(Environment& environment) {
    const auto text = environment.get("QUARTET_LAUNCHED");
    const auto passed = text ? since_launcher(*text) : std::nullopt;
    return passed ? *passed : since_process();
}

Session::Session(ProgramDescription description, const CommonOptions& options,
                 comm::TransportRegistry registry)
    : description_(std::move(description)),
      options_(options),
      registry_(std::move(registry)),
      trace_(options.trace ? traced_spans_per_track : 0),
      world_(comm::Communicator::world()),
      topology_(world_),
      threads_(options.threads.value_or(topology_.default_threads())) {
    for (const std::string& name : options_.transports) {
        if (name != "auto" && !registry_.has(name)) {
            throw UsageError("--transport: " + not_one_of(name, registry_.names()));
        }
    }
    if (world_.size() < description_.least_ranks && options_.list == Switch::off) {
        throw UsageError(fmt::format("{} needs at least {} ranks (there {} {}): mpirun -np {} {}",
                                     description_.name, description_.least_ranks,
                                     world_.size() == 1 ? "is" : "are", world_.size(),
                                     description_.least_ranks, description_.name));
    }
    device_ = choose_device();
    if (const device::Accelerator* gpu = device_->accelerator()) {
        gpus_ = Gpus(world_, topology_, *gpu);
    }
    require_gpu_for_its_flags();
    stream_ = device_->make_stream("compute");
    if (options_.has(Formulation::dataflow) && device_->accelerator() != nullptr) {
        host_ = make_device(devices_.host());
        host_stream_ = host_->make_stream("reduce");
    }
    isa_ = isa_of_all();
}

void Session::require_gpu_for_its_flags() const {
    const bool on_gpu = device_->accelerator() != nullptr;
    for (const auto& [flag, given] :
         {std::pair("--gpu-map", options_.gpu_map.has_value()),
          std::pair("--device-memory", options_.device_memory.has_value())}) {
        if (given && !on_gpu) {
            throw UsageError(fmt::format(
                "{}: the device is {}, without memory of its own: leave it out, or add --device "
                "cuda",
                flag, device_->name()));
        }
    }
}

void Session::require_writable_results() const {
    comm::agree<UsageError>(world_, [this] {
        if (options_.json && options_.json == options_.trace) {
            throw UsageError("--json and --trace name the same file: name two");
        }
        for (const auto& file : {options_.json, options_.trace}) {
            if (file && is_root()) {
                require_writable(*file, options_.force == Switch::on);
            }
        }
    });
}

std::unique_ptr<device::Device> Session::choose_device() {
    if (options_.device != "auto") {
        return make_device(devices_.find(options_.device));
    }
    for (const device::DeviceKind& kind : devices_.accelerators()) {
        try {
            auto device = make_device(kind);
            if (serves_transports(*device)) {
                return device;
            }
        } catch (const Unavailable&) {  // thrown on all ranks: tries the next kind
        }
    }
    return make_device(devices_.host());
}

// Makes the device on all ranks or on none: a node may lack what the others have. Collective.
std::unique_ptr<device::Device> Session::make_device(const device::DeviceKind& kind) {
    if (const auto reason = world_.first(kind.why_not())) {
        throw Unavailable(*reason);
    }
    device::DeviceSettings settings{.threads = threads_, .isa = options_.isa};
    if (kind.processor == device::Processor::accelerator) {
        settings.number = choose_gpu(options_.gpu_map, kind.visible(), topology_, world_);
    }
    std::unique_ptr<device::Device> device;
    const auto problem = why_unavailable([&] { device = kind.make(settings, trace_); });
    if (const auto first = world_.first(problem)) {
        throw Unavailable(*first);
    }
    return device;
}

// Collective. Ranks have the same kind of device.
std::string Session::isa_of_all() const {
    const std::string isa((host_ ? host_ : device_)->isa());
    if (isa.empty()) {
        return {};
    }
    const auto all = world_.gather(isa);
    return fmt::format("{}", fmt::join(std::set<std::string>(all.begin(), all.end()), ", "));
}

// Whether one of the requested transports moves the memory of the device.
bool Session::serves_transports(device::Device& device) {
    const comm::TransportContext context = transport_context(device);
    return std::ranges::any_of(options_.transports, [&](const std::string& name) {
        const std::string resolved = name == "auto" ? registry_.automatic(context) : name;
        return !registry_.why_not(resolved, context);
    });
}

comm::TransportContext Session::transport_context(device::Device& device) {
    return {world_, topology_, device, trace_, options_.transfer};
}

comm::Transport& Session::transport(const std::string& name) {
    auto& transport = transports_[name];
    if (!transport) {
        transport = registry_.make(name, transport_context());
    }
    return *transport;
}

comm::Transport& Session::message_transport() {
    const std::string name = comm::TransportRegistry::plain_mpi();
    if (!host_) {
        return transport(name);
    }
    if (!host_messages_) {
        host_messages_ = registry_.make(name, transport_context(*host_));
    }
    return *host_messages_;
}

namespace {

bool has(const Session& session, int rank, comm::Role role) {
    const auto in = [&](const PlannedCase& planned) {
        return roles_of(planned, session.world().size()).of(rank) == role;
    };
    return session.plan().empty() ? role == comm::Role::worker
                                  : std::ranges::any_of(session.plan(), in);
}

}  // namespace

std::string role_of(const Session& session, int rank) {
    if (!has(session, rank, comm::Role::reducer)) {
        return "worker";
    }
    return has(session, rank, comm::Role::worker) ? "worker or reducer" : "reducer";
}

int ranks_with(const Session& session, comm::Role role) {
    int count = 0;
    for (int rank = 0; rank < session.world().size(); ++rank) {
        count += has(session, rank, role) ? 1 : 0;
    }
    return count;
}

}  // namespace quartet::bench
