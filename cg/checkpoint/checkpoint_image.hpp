#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cg/checkpoint/checkpoint_manifest.hpp"
#include "cg/problem/loop.hpp"
#include "core/block_range.hpp"
#include "core/files/npy.hpp"

namespace quartet::cg {

/// One rank's file of a checkpoint as it lies in memory: an .npy header, then x, r, p (and A p of
/// the single-reduction algorithm), the rank's rows of each. All members are local.
class CheckpointImage {
  public:
    /// Borrows device and stream.
    CheckpointImage(device::Device& device, device::Stream& stream, Algorithm algorithm,
                    Range rows);

    /// Memory of the image of a rank with `rows` rows.
    static Bytes memory(Algorithm algorithm, std::int64_t rows);
    /// Shape of the .npy array in a file of `rows` rows.
    static Shape shape_of(Algorithm algorithm, std::int64_t rows);
    /// Bytes in the files of all ranks, without their headers.
    static Bytes size_of_all(Algorithm algorithm, std::int64_t size);

    /// Takes the vectors' values from the state, and puts them there.
    void take(const IterationState& state);
    void put(IterationState& state);
    /// Reads this rank's rows from a file, which may be of another rank count. Throws NpyError.
    void read(const std::filesystem::path& file, const SavedFile& saved);

    [[nodiscard]] Range rows() const { return rows_; }
    [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(image_.span()); }

  private:
    [[nodiscard]] device::View<double> vector(std::int64_t index);
    void copy(device::View<const double> from, device::View<double> to);

    device::Device& device_;
    device::Stream& stream_;
    Range rows_;
    Shape shape_;
    std::int64_t header_;  ///< in doubles
    device::Buffer<double> image_;
};

}  // namespace quartet::cg
