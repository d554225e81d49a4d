#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "device/memory.hpp"

namespace quartet::comm {

/// Hands chunks of vectors from the threads that receive them to the one that adds them. A thread
/// that hands one over waits until it has been added, so that each has one chunk here at most and
/// the chunk stays in its own memory.
class GrpcInbox {
  public:
    struct Chunk {
        std::size_t sender = 0;  ///< which of the push's
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

    /// No further chunk of that sender will come.
    void end(std::size_t sender, std::string why) {
        const std::lock_guard lock(mutex_);
        ended_.emplace_back(sender, std::move(why));
        came_.notify_one();
    }

    /// Waits for a chunk of a sender for which `is_awaited(sender)` holds; those of others stay.
    /// Throws Failure where such a sender has ended.
    template <typename Predicate>
    Chunk take(const Predicate& is_awaited) {
        std::unique_lock lock(mutex_);
        for (;;) {
            for (const auto& [sender, why] : ended_) {
                if (is_awaited(sender)) {
                    throw Failure(why);
                }
            }
            const auto found = std::ranges::find_if(waiting_, is_awaited, &Chunk::sender);
            if (found != waiting_.end()) {
                const Chunk chunk = *found;
                waiting_.erase(found);
                return chunk;
            }
            came_.wait(lock);
        }
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
    std::vector<std::pair<std::size_t, std::string>> ended_;  ///< senders, and why
    bool closed_ = false;
};

}  // namespace quartet::comm
