#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/session/gpu_map.hpp"

namespace quartet::bench {

/// Splits at commas, each member once; throws UsageError for an empty member, and for more members
/// than anybody would run.
std::vector<std::string> parse_list(std::string_view text);

/// Sizes in the order given, each once. A member is a size or a range: "1k:8k" doubles from 1k to
/// 8k at most. `read` converts one size and returns at least 1. Throws UsageError.
std::vector<std::int64_t> parse_sizes(std::string_view text,
                                      const std::function<std::int64_t(std::string_view)>& read);

/// Likewise for numbers of elements from 1 to `most`: "8192", "2^13", "8k", "1e4".
std::vector<std::int64_t> parse_sizes(std::string_view text, std::int64_t most);

/// parse_count within bounds. Throws UsageError that names them.
std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most);

/// parse_elements from 1 to `most`. Throws UsageError that names the bounds.
std::int64_t parse_size(std::string_view text, std::int64_t most);

/// "0,0,1": for each rank of a node the number of its GPU. Throws UsageError.
GpuMap parse_gpu_map(std::string_view text);

/// "1024,2048"
std::string join_sizes(const std::vector<std::int64_t>& sizes);

}  // namespace quartet::bench
