#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "bench/session/arena.hpp"
#include "bench/session/session.hpp"
#include "device/device.hpp"
#include "fft/problem/files.hpp"

namespace quartet::fft {

/// Reads tiles from files ahead of the computation, on a stream of its own: to the host's memory,
/// or through two page-locked slots to a GPU, where a tile is read while the one before is copied.
class TileLoader {
  public:
    /// Tiles that may have begun and not been brought yet.
    static constexpr std::int64_t slots = 2;

    /// Loads the tiles `mine` from files that have been checked. Throws NpyError. Local.
    TileLoader(bench::Session& session, const Problem& problem, const Range& mine,
               const bench::DataOptions& data);
    /// Page-locked points that tiles of that length need on their way to memory of that kind; empty
    /// where they are read to their places. Local.
    static device::Buffer<Point> staging(bench::Arena& arena, std::int64_t length,
                                         device::MemoryKind kind);

    /// Before each run, outside of the time.
    void prepare() const { reader_.prepare(); }
    /// Enqueues the reading of a tile, number `number` of those that are loaded in turn, which goes
    /// to `place`. Allocates nothing, as do the others.
    void begin(std::int64_t number, std::int64_t tile, device::View<Point> place);
    /// Has the session's stream wait until it is in its place.
    void bring(std::int64_t number, device::View<Point> place);
    /// Waits for all reading. Throws Failure if a file could not be read.
    void finish() { reading_->synchronize(); }

    [[nodiscard]] std::int64_t tiles() const { return reader_.tiles(); }
    [[nodiscard]] std::int64_t length() const { return reader_.length(); }

  private:
    struct Slot {
        device::View<Point> points;  ///< empty if tiles are read to their places
        std::unique_ptr<device::Event> read;
        std::unique_ptr<device::Event> copied;
    };
    [[nodiscard]] Slot& slot(std::int64_t number) {
        return slots_.at(static_cast<std::size_t>(number % slots));
    }

    bench::Session& session_;
    TileFileReader reader_;
    device::Buffer<Point> staging_;
    std::array<Slot, slots> slots_;
    std::unique_ptr<device::Stream> reading_;
};

}  // namespace quartet::fft
