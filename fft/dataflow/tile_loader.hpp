#pragma once

#include <array>
#include <memory>
#include <optional>

#include "bench/program/session.hpp"
#include "fft/files.hpp"

namespace quartet::fft {

/// Brings this rank's tiles from their files to where they are transformed, in every run. Memory of
/// the host is read into; to memory of a GPU a tile goes by way of one of two page-locked buffers,
/// so that reading a tile overlaps with copying the one before.
class TileLoader {
  public:
    /// Borrows session and reader. The tiles go to `input`, one after another.
    TileLoader(bench::Session& session, TileReader& reader, device::View<Point> input);

    /// Enqueues on the session's stream what brings all tiles there; allocates nothing. Throws what
    /// TileReader::read throws, or has the stream throw it.
    void load();

    /// Page-locked memory, for tiles of so many points that go to memory of that kind.
    [[nodiscard]] static Bytes memory(std::int64_t length, device::MemoryKind kind);

  private:
    struct Place {
        device::Buffer<Point> points;
        std::unique_ptr<device::Event> read;
        std::unique_ptr<device::Event> copied;
    };

    void load_through_places();

    bench::Session& session_;
    TileReader& reader_;
    device::View<Point> input_;
    std::unique_ptr<device::Stream> reading_;  ///< for memory of a GPU
    std::array<Place, 2> places_;
};

}  // namespace quartet::fft
