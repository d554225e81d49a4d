#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

namespace quartet::emulator {

/// The shared memory of the block that runs: an array for each declaration, with guards between
/// them. Each block finds it full of rubbish: bytes that are NaN in every floating type.
class SharedMemory {
  public:
    SharedMemory();
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    /// For a new block.
    void clear();
    /// The array that is declared there. Throws std::logic_error for more than GPUs have, `most`.
    [[nodiscard]] std::byte* array(std::size_t size, std::size_t most,
                                   const std::source_location& declaration);
    /// Throws std::logic_error where something was written beyond an array.
    void check_guards() const;

  private:
    struct Array {
        std::source_location declaration;
        std::size_t offset;
        std::size_t size;
    };
    std::vector<std::byte> bytes_;
    std::vector<Array> arrays_;
    std::size_t used_ = 0;  ///< arrays and guards
};

}  // namespace quartet::emulator
