#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "device/memory.hpp"

namespace quartet::comm {

/// Hands chunks of vectors from the threads that receive them to the one that adds them. A thread
/// that hands one over waits until it has been added, so that each has one chunk here at most and
/// the chunk stays in its own memory.
class GrpcInbox {
  public:
    struct Chunk {
        std::int64_t first = 0;  ///< element of the target
        device::View<const float> elements;
        bool* added = nullptr;  ///< of the thread that waits for it
    };

    /// Waits until the chunk has been added; false where the inbox was closed instead.
    bool hand_over(Chunk chunk) {
        bool added = false;
        chunk.added = &added;
        std::unique_lock lock(mutex_);
        waiting_.push_back(chunk);
        came_.notify_one();
        changed_.wait(lock, [&] { return added || closed_; });
        return added;
    }

    /// Waits for a chunk.
    Chunk take() {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return !waiting_.empty(); });
        const Chunk chunk = waiting_.front();
        waiting_.pop_front();
        return chunk;
    }

    /// Lets the one that handed it over go on.
    void done(const Chunk& chunk) {
        {
            const std::lock_guard lock(mutex_);
            *chunk.added = true;
        }
        changed_.notify_all();
    }

    /// Lets all go on; nothing will be taken any more.
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::condition_variable changed_;
    std::deque<Chunk> waiting_;
    bool closed_ = false;
};

}  // namespace quartet::comm
