#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/arena.hpp"
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
    /// Bytes between the host's memory and this rank's GPU in a run: those that can go both ways at
    /// once, and the others one way.
    struct Copies {
        double in = 0;
        double out = 0;
    };
    /// Tiles from and to files.
    struct Storage {
        std::optional<std::filesystem::path> file{};  ///< a tile that this rank reads, if any
        FileCache cache = FileCache::warm;
        double bytes = 0;  ///< that this rank moves in a run
    };
    /// Partial tiles that reducers receive and add.
    struct Reducers {
        comm::Role role = comm::Role::worker;  ///< of this rank
        double partial_tiles = 0;              ///< of each reducer in a run
        Bytes tile;
        bool by_messages = false;  ///< then the link from the first worker is measured, too
        int worker = 0;            ///< the rank of the first one; the first reducer's is 0
    };
    Sgemm sgemm;
    std::optional<Copies> copies{};
    std::optional<Reducers> reducers{};
    std::optional<Storage> storage{};

    /// Counts what measuring takes on this rank.
    void count(bench::Arena& arena, const Problem& problem, bench::Session& session) const;
};

/// Edge of the SGEMM that a product on the host is compared with: at least 2048, since smaller ones
/// do not show what the processor can do.
std::int64_t host_sgemm_edge(const Problem& problem);

/// Measures the limit of a product.
class ProductLimit {
  public:
    /// Allocates what plan.count() counts. Collective.
    ProductLimit(bench::Session& session, const Problem& problem, const LimitPlan& plan);

    /// Measures all components, all ranks at the same time, as in a run. Same answer on all ranks.
    /// Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    void add_sgemm(const LimitPlan::Sgemm& sgemm);
    void add_copies(const LimitPlan::Copies& copies);
    void add_reducers(const LimitPlan::Reducers& reducers);
    void add_storage(const LimitPlan::Storage& storage);
    /// A component that takes as long as it does on the slowest rank.
    void add(const char* name, const std::function<Seconds()>& measure);

    bench::Session& session_;
    Problem problem_;
    std::vector<std::function<bench::LimitComponent()>> components_;  ///< each collective
};

}  // namespace quartet::matmul
