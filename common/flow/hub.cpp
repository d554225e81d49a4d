#include "flow/hub.hpp"

#include <utility>

#include "core/check.hpp"

namespace quartet::flow {

Hub::Hub(const comm::Communicator& comm, Track* track)
    : comm_(comm), channel_(comm), track_(track) {}

int Hub::add(Handler handler) {
    handlers_.push_back(std::move(handler));
    return static_cast<int>(handlers_.size()) - 1;
}

void Hub::send(int to, int kind, std::span<const std::byte> payload) {
    channel_.send(to, kind, payload);
}

bool Hub::serve() {
    const auto message = channel_.poll();
    if (!message) {
        return false;
    }
    const auto kind = static_cast<std::size_t>(message->kind);
    check(kind < handlers_.size(), "a control message of no known kind");
    handlers_[kind](message->source, message->payload);
    return true;
}

void Hub::note_wait(Seconds begin) {
    if (track_ != nullptr) {
        track_->add({Phase::wait, "queue", begin, now()});
    }
}

}  // namespace quartet::flow
