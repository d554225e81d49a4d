#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/results/row.hpp"

namespace quartet::bench {

/// The parts of a row's name as an object of typed values: sizes of bytes and numbers as numbers.
nlohmann::ordered_json factors_of(const Row& row);

/// Each rank's seconds; of many ranks quantiles and the slowest ones; of pairs of ranks none.
void put_rank_seconds(nlohmann::ordered_json& json, const Run& run);

/// The energy of a run's GPUs, and what they computed with it, where they tell.
void put_energy(nlohmann::ordered_json& json, const Row& row, const Run& run);

/// What happened on the machine during the run, and which of it disturbed the run.
void put_conditions(nlohmann::ordered_json& json, const Run& run);

/// The limit, its components, what stands beside them, and the fractions; nothing if none was
/// measured.
void put_limit(nlohmann::ordered_json& json, const Row& row);

/// Whether the row can be trusted, why not, and which runs were measured again for it.
void put_trust(nlohmann::ordered_json& json, const Row& row);

/// What each node's interfaces sent; nothing if nobody looked.
void put_road(nlohmann::ordered_json& json, const Row& row);

}  // namespace quartet::bench
