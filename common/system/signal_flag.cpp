#include "system/signal_flag.hpp"

#include <atomic>

#include "core/check.hpp"

namespace quartet::system {

namespace {

// A signal handler has no argument of ours, so it sets a static variable; it may touch only
// lock-free atomics.
std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

extern "C" {
static void quartet_note_signal(int) {
    signalled.store(true, std::memory_order_relaxed);
}
}

// A shell's background job and a job under nohup ignore these signals, and should go on.
static bool stays_ignored(int signal, const struct sigaction& previous) {
    return (signal == SIGINT || signal == SIGHUP) && previous.sa_handler == SIG_IGN;
}

SignalFlag::SignalFlag() {
    check(sigaction(signals.front(), nullptr, previous_.data()) == 0, "signals cannot be handled");
    check(previous_.front().sa_handler != quartet_note_signal,
          "there can be one SignalFlag at a time");
    signalled.store(false, std::memory_order_relaxed);
    struct sigaction action {};
    action.sa_handler = quartet_note_signal;
    action.sa_flags = SA_RESTART;  // reads and writes in progress are not to fail
    sigemptyset(&action.sa_mask);
    for (std::size_t index = 0; index < signals.size(); ++index) {
        struct sigaction& previous = previous_[index];
        check(sigaction(signals[index], nullptr, &previous) == 0, "signals cannot be handled");
        if (!stays_ignored(signals[index], previous)) {
            check(sigaction(signals[index], &action, nullptr) == 0, "signals cannot be handled");
        }
    }
}

SignalFlag::~SignalFlag() {
    for (std::size_t index = 0; index < signals.size(); ++index) {
        sigaction(signals[index], &previous_[index], nullptr);
    }
}

void SignalFlag::ignore_later() {
    for (struct sigaction& previous : previous_) {
        previous = {};
        previous.sa_handler = SIG_IGN;
    }
}

bool SignalFlag::raised() const {
    return signalled.load(std::memory_order_relaxed);
}

}  // namespace quartet::system
