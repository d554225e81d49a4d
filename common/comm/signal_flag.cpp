#include "comm/signal_flag.hpp"

#include <atomic>

#include "core/check.hpp"

namespace quartet::comm {

namespace {

// A signal handler has no argument of ours, so what it sets has to be static; only lock-free
// atomics may be touched in one.
std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

extern "C" {
static void quartet_note_signal(int) {
    signalled.store(true, std::memory_order_relaxed);
}
}

SignalFlag::SignalFlag() {
    check(sigaction(SIGUSR1, nullptr, &previous_) == 0, "SIGUSR1 cannot be handled");
    check(previous_.sa_handler != quartet_note_signal, "there can be one SignalFlag at a time");
    signalled.store(false, std::memory_order_relaxed);
    struct sigaction action {};
    action.sa_handler = quartet_note_signal;
    action.sa_flags = SA_RESTART;  // reads and writes in progress are not to fail
    sigemptyset(&action.sa_mask);
    check(sigaction(SIGUSR1, &action, nullptr) == 0, "SIGUSR1 cannot be handled");
}

SignalFlag::~SignalFlag() {
    sigaction(SIGUSR1, &previous_, nullptr);
}

bool SignalFlag::raised() const {
    return signalled.load(std::memory_order_relaxed);
}

}  // namespace quartet::comm
