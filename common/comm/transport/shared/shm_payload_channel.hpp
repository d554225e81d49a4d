#pragma once

#include <memory>

#include "comm/transport/shared/payload_channel.hpp"
#include "comm/transport/shared/window_pool.hpp"

namespace quartet::comm {

/// Mail that stays where it is: receivers read the senders' places in shared windows. Collective,
/// making and destroying; the pool outlives it.
std::unique_ptr<Mail> make_shm_mail(const MailPlan& plan, WindowPool& pool);

}  // namespace quartet::comm
