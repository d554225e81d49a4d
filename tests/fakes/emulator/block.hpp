#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <source_location>
#include <vector>

#include "fakes/emulator/fiber/fiber.hpp"
#include "fakes/emulator/shared_memory.hpp"
#include "fakes/emulator/thread_order.hpp"
#include "fakes/emulator/warp_exchange.hpp"

namespace quartet::emulator {

/// The thread that runs, and the grid. A kernel reads it by names of CUDA, which are global: this
/// is, too, and one grid at a time has it.
struct Position {
    uint3 thread{};
    int lane = 0;  ///< of the thread in its warp
    uint3 block{};
    dim3 threads;
    dim3 blocks;
    std::size_t shared_bytes = 0;  ///< of a block, beside what is declared
};
inline Position position;

/// What runs the blocks of a grid, and what their threads call.
class Block {
  public:
    /// That runs now.
    static Block& running();

    /// Runs one block of `position`. Throws what run_grid() says.
    void run(unsigned threads, ThreadOrder& order, const std::function<void()>& thread);

    void synchronize_threads(const std::source_location& place);
    std::uint64_t exchange(const WarpExchange::Wish& wish);
    [[nodiscard]] SharedMemory& shared() { return shared_; }

  private:
    enum class State { ready, at_barrier, in_exchange, ended };
    struct Thread {
        State state = State::ready;
        uint3 index{};
        std::source_location place;   ///< of the barrier
        WarpExchange::Ticket ticket;  ///< of the exchange
    };
    void prepare(unsigned threads, const std::function<void()>& thread);
    void run_warp();
    /// Whether another thread of the warp can run; it is made the one that does.
    bool next_turn();
    [[noreturn]] void run_threads();
    /// Goes on with the next thread of the warp that can, or else with who runs the warps.
    void leave();
    /// Whether threads have waited there. Those that have ended do not count, as on a GPU.
    bool open_barrier();
    [[nodiscard]] bool can_run(const Thread& thread) const;

    const std::function<void()>* thread_ = nullptr;
    Fiber scheduler_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Thread> threads_;
    WarpExchange exchange_;        ///< of the warp that runs
    std::vector<unsigned> turns_;  ///< of the warp that runs
    std::size_t turn_ = 0;
    unsigned running_ = 0;
    std::exception_ptr error_;
    SharedMemory shared_;
};

}  // namespace quartet::emulator
