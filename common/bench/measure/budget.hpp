#pragma once

#include <cstddef>
#include <optional>

#include "core/units.hpp"

namespace quartet::bench {

/// How long the rounds of a job may go on (--budget); without end unless it is given. Each group of
/// cases gets its share of the time that is left, by its number of cases. Local; ranks that give
/// the same times decide alike.
class Budget {
  public:
    /// The time runs from `now` on, for a job of so many cases.
    Budget(std::optional<Seconds> budget, Seconds now, std::size_t cases);

    /// From `now` on it is the turn of a group of so many cases.
    void begin_group(std::size_t cases, Seconds now);
    /// Whether what takes so long ends within the group's share.
    [[nodiscard]] bool has_room(Seconds expected, Seconds now) const {
        return !group_end_ || now + expected <= *group_end_;
    }

  private:
    std::optional<Seconds> end_;
    std::optional<Seconds> group_end_;
    std::size_t waiting_;  ///< cases of groups whose turn is to come
};

}  // namespace quartet::bench
