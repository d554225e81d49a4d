#include <algorithm>
#include <memory>

#include "device/multiply_add_probe.hpp"
#include "matmul/plan.hpp"

namespace quartet::matmul {

namespace {

constexpr Seconds multiply_add_time{0.01};
// Products of this edge and more reach the best rate of a BLAS, on processors and on GPUs.
constexpr std::int64_t full_rate_edge = 1024;
constexpr std::int64_t full_rate_edge_of_gpu = 4096;
constexpr int intake_passes = 4;  // additions and messages in one measurement
constexpr Bytes storage_probe_memory = mebibytes(4);

/// Times of copying a piece to the GPU, from it, or both at once.
class CopyProbe {
  public:
    CopyProbe(device::Arena& arena, Bytes piece)
        : device_(arena.device()),
          out_(make_transfer_stream(arena, "probe")),
          host_(arena.make<std::byte>(piece.value, device::MemoryKind::pinned)),
          there_(arena.make<std::byte>(piece.value)),
          half_(piece.value / 2) {}

    enum class Way { in, out, both };
    Seconds time(Way way, device::Stream& stream) {
        stream.synchronize();
        const Seconds begin = now();
        for (int half = 0; half < 2 * intake_passes; ++half) {
            if (way != Way::out) {
                device_.copy(device::View<const std::byte>(host_.view().part(0, half_)),
                             there_.view().part(0, half_), stream);
            }
            if (way != Way::in) {
                device_.copy(device::View<const std::byte>(there_.view().part(half_, half_)),
                             host_.view().part(half_, half_), *out_);
            }
        }
        stream.synchronize();
        out_->synchronize();
        return (now() - begin) / intake_passes;
    }

  private:
    device::Device& device_;
    std::unique_ptr<device::Stream> out_;
    device::Buffer<std::byte> host_;
    device::Buffer<std::byte> there_;
    std::int64_t half_;  ///< bytes; the two directions use different halves
};

}  // namespace

std::int64_t host_sgemm_edge(const Problem& problem) {
    constexpr std::int64_t large = 2048;
    return std::min(problem.size, std::max(problem.extent(0), large));
}

ProductLimit::ProductLimit(device::Arena& arena, bench::Session& session, const Problem& problem,
                           const LimitPlan& plan)
    : session_(session), problem_(problem) {
    add_sgemm(arena, plan.sgemm);
    if (plan.copies) {
        add_copies(arena, *plan.copies);
    }
    if (plan.reducers) {
        add_reducers(arena, *plan.reducers);
    }
    if (plan.storage) {
        add_storage(arena, *plan.storage);
    }
}

std::vector<bench::LimitComponent> ProductLimit::measure() {
    std::vector<bench::LimitComponent> found;
    for (const auto& component : components_) {
        found.push_back(component());
    }
    return found;
}

void ProductLimit::add(const char* name, const std::function<Seconds()>& measure) {
    components_.emplace_back([this, name, measure] {
        return bench::LimitComponent{name, {session_.world().maximum(measure().value)}};
    });
}

// Where products reach the full rate, the device's rate of multiply-adds in registers is measured
// beside the BLAS's. It counts only if it is higher: if it is lower, the compiled instructions are
// not the fastest of the device. All ranks measure the same.
void ProductLimit::add_sgemm(device::Arena& arena, const LimitPlan::Sgemm& sgemm) {
    const bool on_gpu = device::has_own_memory(session_.device());
    const bool knows_hardware = on_gpu ? problem_.extent(0) >= full_rate_edge_of_gpu
                                       : host_sgemm_edge(problem_) >= full_rate_edge;
    std::shared_ptr<bench::SgemmProbe> probe;
    std::shared_ptr<device::MultiplyAddProbe> hardware;
    if (sgemm.edge > 0) {
        probe = std::make_shared<bench::SgemmProbe>(arena, sgemm.edge);
        if (knows_hardware && !arena.plans()) {  // making it takes time
            hardware = session_.device().make_multiply_add_probe(device::FloatFormat::float32);
        }
    }
    components_.emplace_back([=, this, products = 0]() mutable {
        if (probe && products == 0) {
            products = products_of(*probe, sgemm.computing_ranks);
        }
        const auto time_at = [&](double rate) {
            return Seconds{problem_.flops().value / session_.world().sum(rate)};
        };
        Seconds time;
        for (int count = 0; probe && count < products; ++count) {
            time = time + probe->measure(session_.stream());
        }
        bench::LimitComponent component{
            .name = "SGEMM",
            .seconds = time_at(probe ? products * probe->flops().value / time.value : 0)};
        if (knows_hardware) {
            const Seconds least =
                time_at(hardware ? hardware->measure(multiply_add_time, session_.stream()) : 0);
            component.hardware = least < component.seconds ? least : Seconds{};
        }
        if (!on_gpu) {
            component.extend(sgemm.computing_ranks, session_.world().size());
        }
        return component;
    });
}

int ProductLimit::products_of(bench::SgemmProbe& probe, int computing_ranks) {
    probe.measure(session_.stream());  // the first one meets cold caches
    const Seconds product = probe.measure(session_.stream());
    const double all = problem_.flops().value / probe.flops().value / computing_ranks;
    return bench::passes_in(bench::probe_time_beside(all * product), product);
}

// A link may be slower in each direction if it is used in both at once.
void ProductLimit::add_copies(device::Arena& arena, const LimitPlan::Copies& copies) {
    // A tile, but at most 64 MiB, which reach the link's full rate.
    const Bytes piece = std::min(problem_.tile_bytes(), mebibytes(64));
    std::shared_ptr<CopyProbe> probe;
    if (copies.in + copies.out > 0) {
        probe = std::make_shared<CopyProbe>(arena, piece);
    }
    add("copies to and from GPUs", [=, this] {
        if (!probe) {
            return Seconds{};
        }
        const double at_once = std::min(copies.in, copies.out);
        device::Stream& stream = session_.stream();
        const Seconds time = at_once * probe->time(CopyProbe::Way::both, stream) +
                             (copies.in - at_once) * probe->time(CopyProbe::Way::in, stream) +
                             (copies.out - at_once) * probe->time(CopyProbe::Way::out, stream);
        return time / static_cast<double>(piece.value);
    });
}

// A reducer has to receive every partial tile that it adds.
void ProductLimit::add_reducers(device::Arena& arena, const LimitPlan::Reducers& reducers) {
    std::shared_ptr<bench::MemoryProbe> adding;
    if (reducers.role == comm::Role::reducer) {
        adding = std::make_shared<bench::MemoryProbe>(arena, session_.reducer_device(),
                                                      bench::AccessPattern::add, reducers.tile);
    }
    const double tiles = reducers.partial_tiles;
    add("reducers", [=, this] {
        return adding ? tiles * adding->measure(intake_passes, session_.reducer_stream())
                      : Seconds{};
    });
    const comm::Transport& payloads = session_.transport(reducers.transport).for_payloads();
    if (payloads.traits().receive == comm::Receive::copied) {
        const auto link =
            std::make_shared<bench::PairProbe>(arena, session_.message_transport(),
                                               session_.world(), reducers.worker, 0, reducers.tile);
        add("link to the reducers",
            [=, this] { return tiles * link->measure(intake_passes, session_.stream()); });
    }
}

// The file is there once the case is set up.
void ProductLimit::add_storage(device::Arena& arena, const LimitPlan::Storage& storage) {
    std::shared_ptr<bench::StorageProbe> probe;
    arena.reserve(storage.file ? storage_probe_memory : Bytes{});
    if (storage.file && !arena.plans()) {
        probe = std::make_shared<bench::StorageProbe>(*storage.file, storage.cache);
    }
    add("storage", [=, this, bytes = storage.bytes] {
        session_.world().barrier();
        Seconds time;
        Bytes size;
        while (probe && time < bench::probe_time) {
            time = time + probe->measure();
            size = size + probe->size();
        }
        return probe ? Seconds{bytes * time.value / static_cast<double>(size.value)} : Seconds{};
    });
}

}  // namespace quartet::matmul
