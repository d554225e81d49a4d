#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "bench/session/arena.hpp"
#include "matmul/problem/matrix_files.hpp"
#include "matmul/tiles/tile_source.hpp"

namespace quartet::matmul {

/// The target of a rank's complete tiles of C. Used by the main thread only.
class TileSink {
  public:
    virtual ~TileSink() = default;

    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// Enqueues the storing of a tile on a stream for which it is complete, and which waits before
    /// the tile's memory is used again.
    virtual void store(TileIndex tile, device::View<const float> from, device::Stream& stream) = 0;
    /// Enqueues what follows once all tiles that are held have gone to store().
    virtual void end_part(device::Stream& /*stream*/) {}
    /// Waits for the sink's streams; throws what their work has thrown.
    virtual void synchronize() {}
    /// A tile of the last run. Files are read by `source`, and the span is as its read() has it.
    virtual std::span<const float> result(TileIndex tile, TileSource& source) = 0;
    /// To files, in this run.
    [[nodiscard]] virtual Bytes written() const { return {}; }
};

/// A block of C in the host's memory, in columns of tiles (offset_in_block()).
class MemorySink final : public TileSink {
  public:
    MemorySink(bench::Arena& arena, const Problem& problem, const Block& block,
               device::Device& device);
    /// The memory of one. Local.
    static device::Buffer<float> memory(bench::Arena& arena, const Problem& problem,
                                        const Block& block);

    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    std::span<const float> result(TileIndex tile, TileSource& /*source*/) override {
        return view(tile).span();
    }
    /// A tile where it lies, and the tile column that lies behind it.
    [[nodiscard]] device::View<float> view(TileIndex tile) {
        return part(tile, problem_.elements(tile));
    }
    [[nodiscard]] device::View<float> column(std::int64_t index);
    /// All of it.
    [[nodiscard]] std::span<float> elements() { return memory_.span(); }

  private:
    [[nodiscard]] device::View<float> part(TileIndex first, std::int64_t elements) {
        return memory_.view().part(offset_in_block(problem_, block_, first), elements);
    }

    Problem problem_;
    Block block_;
    device::Device& device_;
    device::Buffer<float> memory_;
};

/// Tiles of C in files, which are removed in the end unless they are kept. With a checkpoint,
/// complete tiles are kept there, too, and those that were taken over are written before each run.
class FileSink final : public TileSink {
  public:
    /// `block` has the rank's tiles; those of other blocks can be stored, too, but are left behind.
    FileSink(const Problem& problem, const Block& block, ProductFiles files);
    ~FileSink() override;
    FileSink(const FileSink&) = delete;
    FileSink& operator=(const FileSink&) = delete;

    /// Takes away the block's tiles of the run before. With a warm page cache they are put aside
    /// and the run writes over them, if this job wrote them; files of other jobs are removed, since
    /// somebody may be reading them.
    void prepare() override;
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    /// Lists what was kept.
    void end_part(device::Stream& stream) override;
    std::span<const float> result(TileIndex tile, TileSource& source) override {
        return source.read("C", tile);
    }
    [[nodiscard]] Bytes written() const override { return written_; }

  private:
    Problem problem_;
    Block block_;
    ProductFiles files_;
    bool has_prepared_ = false;  ///< so that files of C are this job's
    Bytes written_;              ///< written by the stream that writes
};

/// Takes tiles of a GPU to another sink: copies them to the host's memory, and stores them from
/// there on a second stream.
class StagedSink final : public TileSink {
  public:
    static constexpr std::int64_t slots = 2;  ///< tiles that wait to be written, at most

    /// `memory` has the slots. The device is borrowed.
    StagedSink(const Problem& problem, std::unique_ptr<TileSink> next, device::Buffer<float> memory,
               device::Device& device);

    void prepare() override { next_->prepare(); }
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream) override;
    void end_part(device::Stream& /*stream*/) override { next_->end_part(*writing_); }
    void synchronize() override { writing_->synchronize(); }
    std::span<const float> result(TileIndex tile, TileSource& source) override {
        return next_->result(tile, source);
    }
    [[nodiscard]] Bytes written() const override { return next_->written(); }

  private:
    struct Slot {
        device::View<float> memory;
        std::unique_ptr<device::Event> copied;
        std::unique_ptr<device::Event> written;
    };

    std::unique_ptr<TileSink> next_;
    device::Device& device_;
    device::Buffer<float> memory_;
    std::array<Slot, slots> slots_;
    std::size_t next_slot_ = 0;
    std::unique_ptr<device::Stream> writing_;
};

/// Which tiles of C were taken over and need not be made again; empty without a checkpoint, which
/// is borrowed.
std::function<bool(TileIndex)> taken_over(const Problem& problem,
                                          const bench::TileCheckpoint* checkpoint);

}  // namespace quartet::matmul
