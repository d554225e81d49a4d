#include "device/host/runtime/host_stream.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace quartet::device {

namespace {

/// How many of a stream's entries have been done. Streams share it with the events recorded on
/// them, which may outlive them.
class Progress {
  public:
    void advance() {
        {
            const std::lock_guard lock(mutex_);
            ++done_;
        }
        advanced_.notify_all();
    }
    [[nodiscard]] bool reached(std::uint64_t count) {
        const std::lock_guard lock(mutex_);
        return done_ >= count;
    }
    void await(std::uint64_t count) {
        std::unique_lock lock(mutex_);
        advanced_.wait(lock, [&] { return done_ >= count; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable advanced_;
    std::uint64_t done_ = 0;
};

/// A point in a stream: its first `count` entries. Without a stream it counts as reached.
struct Mark {
    std::shared_ptr<Progress> progress;
    std::uint64_t count = 0;

    [[nodiscard]] bool reached() const { return !progress || progress->reached(count); }
    void await() const {
        if (progress)
            progress->await(count);
    }
};

/// Holds the mark of its last recording. A waiting stream copies the mark, so that recording again
/// does not move the point that the stream waits for.
class HostEvent final : public Event {
  public:
    void synchronize() override { mark.await(); }
    [[nodiscard]] bool reached() override { return mark.reached(); }

    Mark mark;
};

HostEvent& as_host(Event& event) {
    auto* host = dynamic_cast<HostEvent*>(&event);
    check(host != nullptr, "an event of another device");
    return *host;
}

/// Runs work at once and keeps the first error. Until that is thrown, later work is skipped: it
/// would run on incomplete results.
class InlineStream final : public Stream {
  public:
    explicit InlineStream(Track& track) : track_(track) {}

    void enqueue(Phase phase, const char* label, Task task) override {
        if (error_)
            return;
        const Span span(track_, phase, label);
        try {
            task();
        } catch (...) {
            error_ = std::current_exception();
        }
    }
    void record(Event& event) override { as_host(event).mark = {}; }
    void wait(Event& event) override { wait_for(as_host(event).mark); }
    void wait_for(const Mark& mark) {
        if (mark.reached())
            return;
        const Span span(track_, Phase::wait, "event");
        mark.await();
    }
    void synchronize() override {
        if (error_)
            std::rethrow_exception(std::exchange(error_, nullptr));
    }
    Track& track() override { return track_; }

  private:
    Track& track_;
    std::exception_ptr error_;
};

/// An entry in the queue of a threaded stream: a mark to wait for, or a task.
struct Entry {
    Phase phase = Phase::wait;
    const char* label = nullptr;
    Task task;
    Mark awaited;
};

class ThreadedStream final : public Stream {
  public:
    explicit ThreadedStream(Track& track) : inner_(track), worker_([this] { work(); }) {}
    ~ThreadedStream() override;
    ThreadedStream(const ThreadedStream&) = delete;
    ThreadedStream& operator=(const ThreadedStream&) = delete;

    void enqueue(Phase phase, const char* label, Task task) override {
        push({phase, label, task, {}});
    }
    void record(Event& event) override { as_host(event).mark = {progress_, pushed_}; }
    void wait(Event& event) override;
    void synchronize() override;
    Track& track() override { return inner_.track(); }

  private:
    // Enough to describe several steps of a pipeline ahead; enqueueing blocks when it is full.
    static constexpr std::uint64_t capacity = 256;

    void push(const Entry& entry);
    void work();
    [[nodiscard]] Entry& slot(std::uint64_t number) {
        return ring_[static_cast<std::size_t>(number % capacity)];
    }

    InlineStream inner_;  // used by the worker while entries are queued, else by the caller
    std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
    std::mutex mutex_;
    std::condition_variable pushed_one_;
    std::condition_variable popped_one_;
    std::vector<Entry> ring_{capacity};
    std::uint64_t pushed_ = 0;  // entries [popped_, pushed_) are queued; the worker does the first
    std::uint64_t popped_ = 0;
    bool stopping_ = false;
    std::thread worker_;  // last: it uses all of the above
};

ThreadedStream::~ThreadedStream() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    pushed_one_.notify_one();
    worker_.join();
}

void ThreadedStream::wait(Event& event) {
    const Mark& mark = as_host(event).mark;
    if (!mark.reached())
        push({Phase::wait, "event", {}, mark});
}

void ThreadedStream::synchronize() {
    progress_->await(pushed_);
    inner_.synchronize();
}

void ThreadedStream::push(const Entry& entry) {
    {
        std::unique_lock lock(mutex_);
        popped_one_.wait(lock, [this] { return pushed_ - popped_ < capacity; });
        slot(pushed_) = entry;
        ++pushed_;
    }
    pushed_one_.notify_one();
}

void ThreadedStream::work() {
    while (true) {
        std::unique_lock lock(mutex_);
        pushed_one_.wait(lock, [this] { return stopping_ || popped_ < pushed_; });
        if (popped_ == pushed_)
            return;
        Entry& entry = slot(popped_);
        lock.unlock();  // the slot stays ours until it is popped
        if (entry.awaited.progress)
            inner_.wait_for(std::exchange(entry.awaited, {}));
        else
            inner_.enqueue(entry.phase, entry.label, entry.task);
        lock.lock();
        ++popped_;
        lock.unlock();
        popped_one_.notify_one();
        progress_->advance();
    }
}

}  // namespace

std::unique_ptr<Stream> make_host_stream(HostStreams kind, Track& track) {
    if (kind == HostStreams::inline_call)
        return std::make_unique<InlineStream>(track);
    return std::make_unique<ThreadedStream>(track);
}

std::unique_ptr<Event> make_host_event() {
    return std::make_unique<HostEvent>();
}

Seconds time_by_clock(int times, const std::function<void()>& enqueue, Stream& stream) {
    stream.synchronize();
    const Seconds begin = now();
    for (int call = 0; call < times; ++call) {
        enqueue();
    }
    stream.synchronize();
    return (now() - begin) / times;
}

}  // namespace quartet::device
