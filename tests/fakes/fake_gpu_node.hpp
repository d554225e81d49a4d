#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace quartet::device {

/// What is counted of each GPU of the fake's node. Tests read the file by this order.
enum class GpuCount {
    allocated,       ///< bytes of its memory, as asked for
    most_allocated,  ///< so far
    kernels,         ///< that were run, those of libraries included
    failed_calls,    ///< of CUDA that have returned an error, as compute-sanitizer counts them
};

/// The GPUs of the fake's node. QUARTET_STAND_IN_GPUS says how many there are (1), and
/// QUARTET_STAND_IN_PEERS which reach one another's memory: `all`, `none`, or `pairs` (0 and 1, 2
/// and 3). Processes that name one file in QUARTET_STAND_IN_COUNTS share its counts, and with them
/// the memory that is free, as the processes of a node do; others count for themselves.
class FakeGpuNode {
  public:
    static constexpr int most_gpus = 8;

    static FakeGpuNode& of_process();
    FakeGpuNode();
    FakeGpuNode(const FakeGpuNode&) = delete;
    FakeGpuNode& operator=(const FakeGpuNode&) = delete;
    ~FakeGpuNode();

    [[nodiscard]] int gpus() const { return gpus_; }
    /// The calling thread's; 0 before it has chosen one, as CUDA has it.
    [[nodiscard]] static int current();
    /// False if there is no such GPU.
    [[nodiscard]] bool use(int gpu) const;
    [[nodiscard]] bool reaches(int gpu, int other) const;

    [[nodiscard]] std::int64_t get(int gpu, GpuCount count) const;
    void add(int gpu, GpuCount count, std::size_t number);
    /// Counts memory of a GPU that has `total` bytes; false if so much is not left.
    bool take(int gpu, std::size_t size, std::size_t total);
    void give_back(int gpu, std::size_t size);

  private:
    static constexpr std::size_t counts = 4;
    struct Counts {
        std::array<std::array<std::atomic<std::int64_t>, counts>, most_gpus> numbers;
    };

    [[nodiscard]] std::atomic<std::int64_t>& at(int gpu, GpuCount count) const;

    int gpus_;
    std::string peers_;
    Counts* counts_;  ///< mapped
};

}  // namespace quartet::device
