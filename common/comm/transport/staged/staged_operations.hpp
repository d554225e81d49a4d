#pragma once

#include <memory>

#include "comm/transport/staged/staged_transfer.hpp"
#include "comm/transport/transport.hpp"

namespace quartet::comm {

/// Operations on GPU memory through page-locked memory of the host: copied out, over the wire,
/// copied in, in chunks. They return when this rank's part is done. Sums are made by the receiving
/// GPU, in the order of the ranks. Collective, making and running, as in Transport.
std::unique_ptr<Push> make_staged_push(const PushPlan& plan, const StagedContext& context);
std::unique_ptr<Collective> make_staged_all_gather(const AllGatherPlan& plan,
                                                   const StagedContext& context);
std::unique_ptr<Collective> make_staged_reduce_scatter(const ReduceScatterPlan& plan,
                                                       const StagedContext& context);
/// Receives into memory of its own.
std::unique_ptr<Exchange> make_staged_exchange(const ExchangePlan& plan,
                                               const StagedContext& context);

}  // namespace quartet::comm
