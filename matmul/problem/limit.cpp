#include "matmul/problem/limit.hpp"

#include <algorithm>

namespace quartet::matmul {

namespace {

constexpr Seconds multiply_add_time{0.01};
constexpr std::int64_t telling_edge = 1024;  // products that are long enough for a BLAS's best rate
constexpr int intake_passes = 4;             // additions and messages in one measurement
constexpr Bytes storage_probe_memory = mebibytes(4) + kibibytes(4);

// Whole ones: tiles may have an odd number of floats.
std::int64_t doubles_in(Bytes tile) {
    constexpr std::int64_t size = sizeof(double);
    return (tile.value + size - 1) / size;
}

bool is_end(const std::optional<LimitPlan::Reducers::Link>& link, int rank) {
    return link && (rank == link->worker || rank == link->reducer);
}

}  // namespace

void LimitPlan::count(bench::Arena& arena, int rank) const {
    const auto room_of = [](bool on_gpu) {
        return on_gpu ? bench::Room::device : bench::Room::host;
    };
    const bool on_gpu = sgemm.memory == device::MemoryKind::device;
    const Bytes square = bytes_of<float>(sgemm.edge * sgemm.edge);
    arena.count(3 * square, room_of(on_gpu));
    if (on_gpu) {
        arena.count(square, bench::Room::host);  // to fill them, in turn
    }
    if (copies && copies->in + copies->out > 0) {
        const Bytes tile = bytes_of<double>(doubles_in(copies->tile));
        arena.count(tile, bench::Room::host);
        arena.count(tile + bytes_of<double>(2), bench::Room::device);
    }
    if (reducers && reducers->role == comm::Role::reducer) {
        arena.count(2 * reducers->tile + bytes_of<double>(1),
                    room_of(reducers->memory == device::MemoryKind::device));
    }
    if (reducers && is_end(reducers->link, rank)) {
        arena.count(reducers->tile, room_of(reducers->link->place == comm::PayloadPlace::gpu));
    }
    if (storage && storage->file) {
        arena.count(storage_probe_memory, bench::Room::host);
    }
}

std::int64_t host_sgemm_edge(const Problem& problem) {
    constexpr std::int64_t large = 2048;
    return std::min(problem.size, std::max(problem.extent(0), large));
}

ProductLimit::ProductLimit(bench::Session& session, const Problem& problem, const LimitPlan& plan)
    : session_(session), problem_(problem), plan_(plan) {
    if (plan.sgemm.edge > 0) {
        prepare_sgemm();
    }
    if (plan.copies && plan.copies->in + plan.copies->out > 0) {
        prepare_copies();
    }
    if (plan.reducers) {
        prepare_reducers();
    }
    if (plan.storage && plan.storage->file) {
        storage_.emplace(*plan.storage->file, plan.storage->cache);
    }
}

void ProductLimit::prepare_sgemm() {
    sgemm_.emplace(session_.device(), plan_.sgemm.edge);
    sgemm_->measure(session_.stream());  // the first one meets cold caches
    const Seconds product = sgemm_->measure(session_.stream());
    const double products =
        problem_.flops().value / sgemm_->flops().value / plan_.sgemm.computing_ranks;
    products_ = bench::passes_in(bench::probe_time_beside(products * product), product);
    if (knows_hardware()) {
        multiply_adds_.emplace(session_.threads());
    }
}

void ProductLimit::prepare_copies() {
    device::Device& device = session_.device();
    const std::int64_t elements = doubles_in(plan_.copies->tile);
    host_tile_ = device::allocate<double>(device, elements, device::MemoryKind::pinned);
    device_tile_ = device::allocate<double>(device, elements);
    copy_in_.emplace(device, host_tile_.view(), device_tile_.view());
    copy_out_.emplace(device, device_tile_.view(), host_tile_.view());
}

void ProductLimit::prepare_reducers() {
    const LimitPlan::Reducers& reducers = *plan_.reducers;
    if (reducers.role == comm::Role::reducer) {
        add_.emplace(session_.reducer_device(), bench::AccessPattern::add, reducers.tile);
    }
    if (reducers.link) {
        const auto [worker, reducer, place] = *reducers.link;
        link_.emplace(session_.message_transport(place), session_.world(), worker, reducer,
                      reducers.tile);
    }
}

std::vector<bench::LimitComponent> ProductLimit::measure() {
    std::vector<bench::LimitComponent> components{sgemm()};
    if (plan_.copies) {
        components.push_back({"copies to and from GPUs", time_of_copies()});
    }
    if (plan_.reducers) {
        components.push_back({"reducers", time_of_adding()});
    }
    if (plan_.reducers && plan_.reducers->link) {
        components.push_back({"link to the reducers", time_of_sending()});
    }
    if (plan_.storage) {
        components.push_back({"storage", time_of_storage()});
    }
    return components;
}

// A processor is known to do more than its BLAS, or the instructions that were compiled are not its
// fastest.
bench::LimitComponent ProductLimit::sgemm() {
    bench::LimitComponent component{.name = "SGEMM", .seconds = time_of_sgemm()};
    if (knows_hardware()) {
        const Seconds hardware = time_of_multiply_adds();
        component.hardware = hardware < component.seconds ? hardware : Seconds{};
    }
    if (plan_.sgemm.memory == device::MemoryKind::host) {
        component.extend(plan_.sgemm.computing_ranks, session_.world().size());
    }
    return component;
}

// The same on all ranks.
bool ProductLimit::knows_hardware() const {
    return host_sgemm_edge(problem_) >= telling_edge &&
           session_.device().memory_kind() == device::MemoryKind::host;
}

Seconds ProductLimit::time_of_multiply_adds() {
    const double rate = multiply_adds_ ? multiply_adds_->measure(multiply_add_time) : 0;
    return {problem_.flops().value / session_.world().sum(rate)};
}

Seconds ProductLimit::time_of_sgemm() {
    double rate = 0;
    if (sgemm_) {
        Seconds time;
        for (int count = 0; count < products_; ++count) {
            time = time + sgemm_->measure(session_.stream());
        }
        rate = products_ * sgemm_->flops().value / time.value;
    }
    return {problem_.flops().value / session_.world().sum(rate)};
}

Seconds ProductLimit::time_of_storage() {
    session_.world().barrier();
    double seconds = 0;
    if (storage_) {
        Seconds time;
        Bytes size;
        do {
            time = time + storage_->measure();
            size = size + storage_->size();
        } while (time < bench::probe_time);
        seconds = plan_.storage->bytes * time.value / static_cast<double>(size.value);
    }
    return {session_.world().maximum(seconds)};
}

Seconds ProductLimit::time_of_copies() {
    double seconds = 0;
    if (copy_in_) {
        const Seconds in = copy_in_->measure(intake_passes, session_.stream());
        const Seconds out = copy_out_->measure(intake_passes, session_.stream());
        seconds = std::max(plan_.copies->in * in.value, plan_.copies->out * out.value);
    }
    return {session_.world().maximum(seconds)};
}

Seconds ProductLimit::time_of_adding() {
    const Seconds tile = add_ ? add_->measure(intake_passes, session_.reducer_stream()) : Seconds{};
    return {session_.world().maximum(plan_.reducers->partial_tiles * tile.value)};
}

// A reducer has to receive every partial tile that it adds.
Seconds ProductLimit::time_of_sending() {
    const Seconds tile = link_->measure(intake_passes, session_.stream());
    return {session_.world().maximum(plan_.reducers->partial_tiles * tile.value)};
}

}  // namespace quartet::matmul
