#pragma once

#include <memory>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/shared/payload_channel.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// Mail by non-blocking messages on a communicator of its own, in memory of that kind. Collective;
/// device and track outlive it.
std::unique_ptr<Mail> make_mpi_mail(const MailPlan& plan, const Communicator& comm,
                                    device::Device& device, Track& track, device::MemoryKind kind);

}  // namespace quartet::comm
