#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/session/session.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// The components of a product's limit; the slowest decides. All ranks have the same components;
/// each measures its own part.
struct LimitPlan {
    /// Products of square matrices in the device's memory.
    struct Sgemm {
        std::int64_t edge = 0;  ///< 0 if this rank computes nothing
        int computing_ranks = 1;
    };
    /// Bytes that a run copies from the host's memory to this rank's GPU, and from the GPU.
    struct Copies {
        double in = 0;
        double out = 0;
    };
    /// Tiles that are read from files and written to files.
    struct Storage {
        std::optional<std::filesystem::path> file{};  ///< a tile that this rank reads, if any
        FileCache cache = FileCache::warm;
        double bytes = 0;  ///< that this rank reads and writes in a run
    };
    /// Partial tiles that reducers receive and add.
    struct Reducers {
        comm::Role role = comm::Role::worker;  ///< of this rank
        double partial_tiles = 0;              ///< of each reducer in a run
        Bytes tile;
        /// If it copies payloads to the receiver, the link from the first worker is measured, too.
        std::string transport{};
        int worker = 0;  ///< the rank of the first worker; the first reducer is rank 0
    };
    Sgemm sgemm;
    std::optional<Copies> copies{};
    std::optional<Reducers> reducers{};
    std::optional<Storage> storage{};
};

/// Edge of the SGEMM that a product on the host is compared with: at least 2048 if N is that large,
/// since smaller products do not show what the processor can do.
std::int64_t host_sgemm_edge(const Problem& problem);

/// Measures the limit of a product.
class ProductLimit {
  public:
    /// Collective; local while the arena plans.
    ProductLimit(device::Arena& arena, bench::Session& session, const Problem& problem,
                 const LimitPlan& plan);

    /// Measures all components, all ranks at the same time, as in a run. Same answer on all ranks.
    /// Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    void add_sgemm(device::Arena& arena, const LimitPlan::Sgemm& sgemm);
    void add_copies(device::Arena& arena, const LimitPlan::Copies& copies);
    void add_reducers(device::Arena& arena, const LimitPlan::Reducers& reducers);
    void add_storage(device::Arena& arena, const LimitPlan::Storage& storage);
    /// How many products one measurement makes. Local.
    int products_of(bench::SgemmProbe& probe, int computing_ranks);
    /// Adds a component whose time is that of the slowest rank.
    void add(const char* name, const std::function<Seconds()>& measure);

    bench::Session& session_;
    Problem problem_;
    std::vector<std::function<bench::LimitComponent()>> components_;  ///< each collective
};

}  // namespace quartet::matmul
