#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace quartet::device {

/// Holds work back until the test lets it go.
class Gate {
  public:
    void open() { open_ = true; }
    void pass() const {
        while (!open_)
            std::this_thread::yield();
    }

  private:
    std::atomic<bool> open_ = false;
};

/// Long enough for work that does not wait as it should to be seen.
inline void give_time() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace quartet::device
