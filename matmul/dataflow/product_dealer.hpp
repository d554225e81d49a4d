#pragma once

#include <cstdint>
#include <optional>

#include "comm/topology/roles.hpp"
#include "flow/hub.hpp"
#include "matmul/options.hpp"

namespace quartet::matmul {

/// Which products a worker of the data flow makes, in ascending order: every W-th, or, with
/// --schedule dynamic, the ones that the first reducer gives it when it asks.
class ProductDealer {
  public:
    /// Hub and roles outlive it; all ranks make one. Local.
    ProductDealer(flow::Hub& hub, const comm::Roles& roles, WorkSchedule schedule);
    ProductDealer(const ProductDealer&) = delete;
    ProductDealer& operator=(const ProductDealer&) = delete;

    /// Before each run, on all ranks.
    void restart();
    /// On a worker: its next product. Beyond the last one there are more numbers.
    std::int64_t next();

  private:
    flow::Hub& hub_;
    const comm::Roles& roles_;
    WorkSchedule schedule_;
    int request_kind_ = 0;                    ///< of messages: a worker asks for a product
    int assignment_kind_ = 0;                 ///< of messages: the first reducer's answer
    std::int64_t assigned_ = 0;               ///< products, on the first reducer
    std::optional<std::int64_t> assignment_;  ///< what this worker was given
    std::int64_t taken_ = 0;                  ///< products, by this worker
};

}  // namespace quartet::matmul
