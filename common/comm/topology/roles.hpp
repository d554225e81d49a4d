#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace quartet::comm {

enum class Role { worker, reducer };
std::string_view name(Role role);

/// The role of each rank: the first R ranks are reducers, the others workers (as in the paper, IV).
class Roles {
  public:
    /// Every rank is a worker.
    static Roles all_workers(int ranks);
    /// Throws UsageError, naming the rank count needed, if no worker would be left.
    static Roles with_reducers(int ranks, int reducers);

    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] int reducers() const { return reducers_; }
    [[nodiscard]] int workers() const { return ranks_ - reducers_; }
    [[nodiscard]] Role of(int rank) const;
    /// Rank of worker or reducer number `index`.
    [[nodiscard]] int worker_rank(int index) const { return reducers_ + index; }
    [[nodiscard]] int reducer_rank(int index) const { return index; }
    /// The ranks of all workers, ascending.
    [[nodiscard]] std::vector<int> worker_ranks() const;
    /// Index of a rank among the ranks of its role.
    [[nodiscard]] int index_of(int rank) const;

  private:
    Roles(int ranks, int reducers) : ranks_(ranks), reducers_(reducers) {}

    int ranks_;
    int reducers_;
};

}  // namespace quartet::comm
