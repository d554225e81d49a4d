#pragma once

#include <atomic>
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

}  // namespace quartet::device
