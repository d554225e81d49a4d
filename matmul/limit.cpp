#include "matmul/limit.hpp"

#include <algorithm>

namespace quartet::matmul {

namespace {

constexpr int intake_passes = 4;  // additions and messages in one measurement
constexpr Bytes storage_probe_memory = mebibytes(4) + kibibytes(4);

Bytes bytes_of_square(std::int64_t edge) {
    return bytes_of<float>(edge * edge);
}

bool is_end(const std::optional<LimitPlan::Reducers::Link>& link, int rank) {
    return link && (rank == link->worker || rank == link->reducer);
}

}  // namespace

bench::BufferPlan LimitPlan::memory(int rank) const {
    bench::BufferPlan plan;
    if (sgemm.memory == device::MemoryKind::device) {
        plan.add(3 * bytes_of_square(sgemm.edge), bench::Room::device);
        plan.add(bytes_of_square(sgemm.edge), bench::Room::host);  // to fill them, in turn
    } else {
        plan.add(3 * bytes_of_square(sgemm.edge), bench::Room::host);
    }
    if (reducers && reducers->role == comm::Role::reducer) {
        plan.add(2 * reducers->tile + bytes_of<double>(1), bench::Room::host);
    }
    if (reducers && is_end(reducers->link, rank)) {
        plan.add(reducers->tile, bench::Room::host);
    }
    if (storage && storage->file) {
        plan.add(storage_probe_memory, bench::Room::host);
    }
    return plan;
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
    if (plan.reducers && plan.reducers->role == comm::Role::reducer) {
        add_.emplace(session.device(), bench::AccessPattern::add, plan.reducers->tile);
    }
    if (plan.reducers && plan.reducers->link) {
        const auto [worker, reducer] = *plan.reducers->link;
        link_.emplace(session.transport(comm::TransportRegistry::plain_mpi()), session.world(),
                      worker, reducer, plan.reducers->tile);
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
}

std::vector<bench::LimitComponent> ProductLimit::measure() {
    std::vector<bench::LimitComponent> components{{"SGEMM", time_of_sgemm()}};
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

Seconds ProductLimit::time_of_adding() {
    const Seconds tile = add_ ? add_->measure(intake_passes, session_.stream()) : Seconds{};
    return {session_.world().maximum(plan_.reducers->partial_tiles * tile.value)};
}

// A reducer has to receive every partial tile that it adds.
Seconds ProductLimit::time_of_sending() {
    const Seconds tile = link_->measure(intake_passes, session_.stream());
    return {session_.world().maximum(plan_.reducers->partial_tiles * tile.value)};
}

}  // namespace quartet::matmul
