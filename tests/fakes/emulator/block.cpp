#include "fakes/emulator/block.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include "fakes/emulator/refuse.hpp"

namespace quartet::emulator {

namespace {

bool same_place(const std::source_location& a, const std::source_location& b) {
    return a.line() == b.line() && a.column() == b.column();
}

}  // namespace

Block& Block::running() {
    static Block block;
    return block;
}

void Block::run(unsigned threads, ThreadOrder& order, const std::function<void()>& thread) {
    prepare(threads, thread);
    const std::vector<unsigned>& turns = order.turns(threads);
    try {
        do {
            for (std::size_t begin = 0; begin < turns.size();) {
                const unsigned warp = turns[begin] / warp_size;
                std::size_t end = begin + 1;
                while (end < turns.size() && turns[end] / warp_size == warp)
                    ++end;
                turns_.assign(turns.begin() + static_cast<std::ptrdiff_t>(begin),
                              turns.begin() + static_cast<std::ptrdiff_t>(end));
                run_warp();
                begin = end;
            }
        } while (open_barrier());
        shared_.check_guards();
    } catch (...) {
        fibers_.clear();  // some may have been left half-way
        exchange_ = {};
        throw;
    }
}

void Block::prepare(unsigned threads, const std::function<void()>& thread) {
    while (fibers_.size() < threads)
        fibers_.push_back(std::make_unique<Fiber>(fibers_.size(), [this] { run_threads(); }));
    const dim3& size = position.threads;
    threads_.assign(threads, {});
    for (unsigned i = 0; i < threads; ++i)
        threads_[i].index = {i % size.x, i / size.x % size.y, i / size.x / size.y};
    thread_ = &thread;
    shared_.clear();
}

// Whoever of its threads is ready runs, until none is.
void Block::run_warp() {
    turn_ = turns_.size() - 1;
    if (next_turn()) {
        scheduler_.switch_to(*fibers_[running_]);
        if (error_)
            std::rethrow_exception(std::exchange(error_, nullptr));
    }
    exchange_.clear();
}

bool Block::can_run(const Thread& thread) const {
    return thread.state == State::ready ||
           (thread.state == State::in_exchange && exchange_.can_take(thread.ticket));
}

bool Block::next_turn() {
    for (std::size_t i = 0; i < turns_.size(); ++i) {
        turn_ = turn_ + 1 < turns_.size() ? turn_ + 1 : 0;
        const Thread& next = threads_[turns_[turn_]];
        if (can_run(next)) {
            running_ = turns_[turn_];
            position.thread = next.index;
            position.lane = static_cast<int>(running_ % warp_size);
            return true;
        }
    }
    return false;
}

// A fiber's whole life: a thread of each block.
void Block::run_threads() {
    while (true) {
        try {
            (*thread_)();
        } catch (...) {
            error_ = std::current_exception();
        }
        threads_[running_].state = State::ended;
        leave();
    }
}

void Block::leave() {
    Fiber& own = *fibers_[running_];
    own.switch_to(!error_ && next_turn() ? *fibers_[running_] : scheduler_);
}

void Block::synchronize_threads(const std::source_location& place) {
    threads_[running_].state = State::at_barrier;
    threads_[running_].place = place;
    leave();
}

std::uint64_t Block::exchange(const WarpExchange::Wish& wish) {
    Thread& own = threads_[running_];
    own.ticket = exchange_.give(wish);
    if (!exchange_.can_take(own.ticket)) {
        own.state = State::in_exchange;
        leave();
        own.state = State::ready;
    }
    return exchange_.take(own.ticket);
}

bool Block::open_barrier() {
    const Thread* first = nullptr;
    for (const Thread& thread : threads_) {
        if (thread.state != State::at_barrier)
            continue;
        if (first != nullptr && !same_place(first->place, thread.place))
            refuse("threads of a block wait at different barriers: " + text_of(first->place) +
                   " and " + text_of(thread.place));
        first = &thread;
    }
    for (Thread& thread : threads_)
        if (thread.state == State::at_barrier)
            thread.state = State::ready;
    return first != nullptr;
}

}  // namespace quartet::emulator
