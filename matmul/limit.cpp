#include "matmul/limit.hpp"

#include <algorithm>
#include <memory>

#include "bench/measure/probes.hpp"
#include "device/multiply_add_probe.hpp"

namespace quartet::matmul {

namespace {

constexpr Seconds multiply_add_time{0.01};
// Products that are long enough for a BLAS's best rate, on processors and on GPUs.
constexpr std::int64_t telling_edge = 1024;
constexpr std::int64_t telling_edge_of_gpu = 4096;
constexpr int intake_passes = 4;  // additions and messages in one measurement
constexpr Bytes storage_probe_memory = mebibytes(4) + kibibytes(4);

bool is_telling(const Problem& problem, const device::Device& device) {
    return device::has_own_memory(device) ? problem.extent(0) >= telling_edge_of_gpu
                                          : host_sgemm_edge(problem) >= telling_edge;
}

// Copied at a time: a tile, or 64 MiB, which have the link's full rate.
Bytes copied_piece(const Problem& problem) {
    return std::min(problem.tile_bytes(), mebibytes(64));
}

/// Times of copying a piece to the GPU, from it, or both at once.
class CopyProbe {
  public:
    CopyProbe(device::Device& device, Bytes piece)
        : device_(device),
          out_(device.make_stream("probe", device::StreamKind::transfer)),
          host_(device::allocate<std::byte>(device, piece.value, device::MemoryKind::pinned)),
          there_(device::allocate<std::byte>(device, piece.value)),
          half_(piece.value / 2) {}

    Seconds in(device::Stream& stream) { return time(stream, true, false); }
    Seconds out(device::Stream& stream) { return time(stream, false, true); }
    Seconds both(device::Stream& stream) { return time(stream, true, true); }

  private:
    Seconds time(device::Stream& stream, bool in, bool out) {
        stream.synchronize();
        const Seconds begin = now();
        for (int half = 0; half < 2 * intake_passes; ++half) {
            if (in) {
                device_.copy(device::View<const std::byte>(host_.view().part(0, half_)),
                             there_.view().part(0, half_), stream);
            }
            if (out) {
                device_.copy(device::View<const std::byte>(there_.view().part(half_, half_)),
                             host_.view().part(half_, half_), *out_);
            }
        }
        stream.synchronize();
        out_->synchronize();
        return (now() - begin) / intake_passes;
    }

    device::Device& device_;
    std::unique_ptr<device::Stream> out_;
    device::Buffer<std::byte> host_;
    device::Buffer<std::byte> there_;
    std::int64_t half_;  ///< bytes: what comes in and what goes out lie apart
};

}  // namespace

void LimitPlan::count(bench::Arena& arena, const Problem& problem, bench::Session& session) const {
    const bool on_gpu = device::has_own_memory(session.device());
    const std::int64_t square = sgemm.edge * sgemm.edge;
    arena.count(3 * bytes_of<float>(square), on_gpu ? bench::Room::device : bench::Room::host);
    if (on_gpu) {  // to fill them, in turn
        arena.count(bytes_of<float>(std::min(square, bench::SgemmProbe::random_numbers)),
                    bench::Room::host);
    }
    if (copies && copies->in + copies->out > 0) {
        arena.count(copied_piece(problem), bench::Room::host);
        arena.count(copied_piece(problem), bench::Room::device);
    }
    if (reducers && reducers->role == comm::Role::reducer) {
        arena.count(2 * reducers->tile + bytes_of<double>(1), bench::Room::host);
    }
    if (reducers && reducers->by_messages &&
        (session.world().rank() == 0 || session.world().rank() == reducers->worker)) {
        arena.count(reducers->tile, bench::Room::host);
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
    : session_(session), problem_(problem) {
    add_sgemm(plan.sgemm);
    if (plan.copies) {
        add_copies(*plan.copies);
    }
    if (plan.reducers) {
        add_reducers(*plan.reducers);
    }
    if (plan.storage) {
        add_storage(*plan.storage);
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

// The device's own rate is measured beside the BLAS's where products are long enough to tell: a
// device is known to do more than its BLAS, or the instructions that were compiled are not its
// fastest. All ranks measure the same.
void ProductLimit::add_sgemm(const LimitPlan::Sgemm& sgemm) {
    const bool knows_hardware = is_telling(problem_, session_.device());
    std::shared_ptr<bench::SgemmProbe> probe;
    std::shared_ptr<device::MultiplyAddProbe> hardware;
    int products = 1;  // in one measurement
    if (sgemm.edge > 0) {
        probe = std::make_shared<bench::SgemmProbe>(session_.device(), sgemm.edge);
        probe->measure(session_.stream());  // the first one meets cold caches
        const Seconds product = probe->measure(session_.stream());
        const double all = problem_.flops().value / probe->flops().value / sgemm.computing_ranks;
        products = bench::passes_in(bench::probe_time_beside(all * product), product);
        if (knows_hardware) {
            hardware = session_.device().make_multiply_add_probe(device::FloatFormat::float32);
        }
    }
    components_.emplace_back([=, this] {
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
        if (!device::has_own_memory(session_.device())) {
            component.extend(sgemm.computing_ranks, session_.world().size());
        }
        return component;
    });
}

// A link that carries both ways at once may have less for each than one way alone has.
void ProductLimit::add_copies(const LimitPlan::Copies& copies) {
    const Bytes piece = copied_piece(problem_);
    std::shared_ptr<CopyProbe> probe;
    if (copies.in + copies.out > 0) {
        probe = std::make_shared<CopyProbe>(session_.device(), piece);
    }
    add("copies to and from GPUs", [=, this] {
        if (!probe) {
            return Seconds{};
        }
        const double at_once = std::min(copies.in, copies.out);
        const Seconds time = at_once * probe->both(session_.stream()) +
                             (copies.in - at_once) * probe->in(session_.stream()) +
                             (copies.out - at_once) * probe->out(session_.stream());
        return time / static_cast<double>(piece.value);
    });
}

// A reducer has to receive every partial tile that it adds.
void ProductLimit::add_reducers(const LimitPlan::Reducers& reducers) {
    std::shared_ptr<bench::MemoryProbe> adding;
    if (reducers.role == comm::Role::reducer) {
        adding = std::make_shared<bench::MemoryProbe>(session_.reducer_device(),
                                                      bench::AccessPattern::add, reducers.tile);
    }
    const double tiles = reducers.partial_tiles;
    add("reducers", [=, this] {
        return adding ? tiles * adding->measure(intake_passes, session_.reducer_stream())
                      : Seconds{};
    });
    if (reducers.by_messages) {
        const auto link = std::make_shared<bench::PairProbe>(
            session_.message_transport(), session_.world(), reducers.worker, 0, reducers.tile);
        add("link to the reducers",
            [=, this] { return tiles * link->measure(intake_passes, session_.stream()); });
    }
}

void ProductLimit::add_storage(const LimitPlan::Storage& storage) {
    std::shared_ptr<bench::StorageProbe> probe;
    if (storage.file) {
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
