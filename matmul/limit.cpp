#include "matmul/limit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quartet::matmul {

namespace {

constexpr const char* sgemm_name = "SGEMM";
constexpr const char* reducers_name = "reducers";
constexpr const char* storage_name = "storage";
constexpr Bytes storage_probe_memory = mebibytes(4) + kibibytes(4);

Bytes bytes_of_square(std::int64_t edge) {
    return bytes_of<float>(edge * edge);
}

bool is_end(const std::optional<LimitPlan::Reducers::Link>& link, int rank) {
    return link && (rank == link->worker || rank == link->reducer);
}

}  // namespace

std::string LimitPlan::name() const {
    if (reducers && storage) {
        return fmt::format("slowest of {}, {} and {}", sgemm_name, reducers_name, storage_name);
    }
    if (reducers || storage) {
        return fmt::format("slower of {} and {}", sgemm_name,
                           reducers ? reducers_name : storage_name);
    }
    return sgemm_name;
}

ProductMemory LimitPlan::memory(int rank) const {
    const bool on_device = sgemm.memory == device::MemoryKind::device;
    ProductMemory memory;
    memory.host = (on_device ? 1 : 3) * bytes_of_square(sgemm.edge);  // a GPU's matrices in turn
    memory.device = (on_device ? 3 : 0) * bytes_of_square(sgemm.edge);
    if (reducers && reducers->role == comm::Role::reducer) {
        memory.host = memory.host + 2 * reducers->tile + Bytes{sizeof(double)};
    }
    if (reducers && is_end(reducers->link, rank)) {
        memory.host = memory.host + reducers->tile;
    }
    if (storage && storage->file) {
        memory.host = memory.host + storage_probe_memory;
    }
    return memory;
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
        link_.emplace(session.transport("mpi"), session.world(), worker, reducer,
                      plan.reducers->tile);
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

std::vector<ProductLimit::Part> ProductLimit::measure() {
    std::vector<Part> parts{{sgemm_name, time_of_sgemm()}};
    if (plan_.storage) {
        parts.push_back({storage_name, time_of_storage()});
    }
    if (plan_.reducers) {
        parts.push_back({reducers_name, time_of_reducers()});
    }
    return parts;
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

// A reducer has to receive every partial tile that it adds.
Seconds ProductLimit::time_of_reducers() {
    constexpr int passes = 4;
    const double adding = add_ ? add_->measure(passes, session_.stream()).value : 0;
    const double sending = link_ ? link_->measure(passes, session_.stream()).value : 0;
    return {session_.world().maximum(plan_.reducers->partial_tiles * std::max(adding, sending))};
}

}  // namespace quartet::matmul
