#include "bench/checkpoint/stop_notice.hpp"

#include <algorithm>

namespace quartet::bench {

bool StopNotice::poll() {
    if (session_.stop_request().is_made() && !has_sent_) {
        has_sent_ = true;
        for (int rank = 0; rank < session_.world().size(); ++rank) {
            if (rank != session_.world().rank()) {
                channel_.send(rank, 0);
            }
        }
    }
    while (channel_.poll()) {
        ++received_;
    }
    const bool stop = has_sent_ || received_ > 0;
    if (stop) {
        session_.stop_request().ignore_later();
    }
    return stop;
}

void StopNotice::end() {
    const auto sent = session_.world().gather(std::int64_t{has_sent_ ? 1 : 0});
    const auto others = std::ranges::count(sent, 1) - (has_sent_ ? 1 : 0);
    while (received_ < others) {
        static_cast<void>(channel_.receive());
        ++received_;
    }
}

}  // namespace quartet::bench
