#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/session/arena.hpp"
#include "device/device.hpp"
#include "matmul/problem/matrix_files.hpp"

namespace quartet::matmul {

/// A tile of A or B that is brought to a slot; what the slot held is gone then.
struct Fetch {
    Operand operand = Operand::a;
    TileIndex tile;
    std::int64_t slot = 0;
    std::int64_t from = 0;  ///< the slot of the source behind, where there is one
};

/// The source of the tiles of A and B for a rank's products: memory, files that are read ahead into
/// slots, or slots of a GPU. Used by the main thread only.
class TileSource {
  public:
    virtual ~TileSource() = default;

    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// Begins to bring a tile to its slot, once the work that uses what the slot holds is done.
    virtual void fetch(const Fetch& fetch) = 0;
    /// A tile that was fetched, there for the stream's later work.
    virtual device::View<const float> tile(const Fetch& fetch, device::Stream& stream) = 0;
    /// The stream's work so far is the last that uses what a slot holds.
    virtual void release(std::int64_t slot, device::Stream& stream) = 0;
    /// Waits for what was fetched; throws what bringing it has thrown.
    virtual void synchronize() {}

    /// Brought in this run.
    [[nodiscard]] virtual Bytes fetched() const { return {}; }
    /// Between runs: a tile of any matrix that lies here, on the CPU; valid until the next call of
    /// any member.
    virtual std::span<const float> read(std::string_view matrix, TileIndex tile) = 0;
    /// This rank's part of A and B in memory; empty if they are in files.
    [[nodiscard]] virtual device::View<const std::byte> memory() const { return {}; }
};

/// The target of a rank's complete tiles of C. Used by the main thread only.
class TileSink {
  public:
    virtual ~TileSink() = default;

    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// Enqueues the storing of a tile on a stream for which it is complete, and which waits before
    /// the tile's memory is used again.
    virtual void store(TileIndex tile, device::View<const float> from, device::Stream& stream) = 0;
    /// Waits for the sink's streams; throws what their work has thrown.
    virtual void synchronize() {}
    /// A tile of the last run. Files are read by `source`, and the span is as its read() has it.
    virtual std::span<const float> result(TileIndex tile, TileSource& source) = 0;
    /// To files, in this run.
    [[nodiscard]] virtual Bytes written() const { return {}; }
};

/// Slots of the host's memory for the files of tiles, each aligned for direct input.
class FileSlots {
  public:
    FileSlots(bench::Arena& arena, const Problem& problem, std::int64_t count);

    /// A slot that MatrixFiles::read can read to.
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index);
    /// The elements of a tile that was read to a slot.
    [[nodiscard]] device::View<const float> elements(std::int64_t index, TileIndex tile);

  private:
    Problem problem_;
    device::Buffer<std::byte> memory_;
    std::int64_t first_;  ///< byte at which the first slot begins
};

/// When a slot may be read, and when it may be filled again.
struct SlotEvents {
    std::unique_ptr<device::Event> filled;
    std::unique_ptr<device::Event> used;
};

/// Reads tiles from files into slots of the host's memory, on its own stream.
class FileSource final : public TileSource {
  public:
    /// `block` is what the rank multiplies for: its rows of A and its columns of B are read.
    /// `device` is borrowed.
    FileSource(const Problem& problem, const Block& block, const ProductFiles& files,
               FileSlots memory, std::int64_t slots, device::Device& device);

    void prepare() override;
    void fetch(const Fetch& fetch) override;
    device::View<const float> tile(const Fetch& fetch, device::Stream& stream) override;
    void release(std::int64_t slot, device::Stream& stream) override {
        stream.record(*at(slot).used);
    }
    void synchronize() override { reading_->synchronize(); }
    [[nodiscard]] Bytes fetched() const override { return read_; }
    /// Reads to the first slot, which is free between runs.
    std::span<const float> read(std::string_view matrix, TileIndex tile) override {
        return files_->read(matrix, tile, memory_.slot(0).span());
    }

  private:
    SlotEvents& at(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

    Problem problem_;
    Block block_;
    std::shared_ptr<const MatrixFiles> files_;
    FileSlots memory_;
    std::vector<SlotEvents> slots_;
    Bytes read_;  ///< written by the stream while it reads
    std::unique_ptr<device::Stream> reading_;
};

/// Copies tiles from a source on the host to slots of a GPU, on its own stream.
class DeviceSource final : public TileSource {
  public:
    /// `memory` has the slots, each as large as tiles get. Both others are borrowed.
    DeviceSource(const Problem& problem, TileSource& host, device::Buffer<float> memory,
                 device::Device& device);

    void prepare() override { copied_ = {}; }
    /// Releases the host's slot at once: the host's own streams wait for the copy.
    void fetch(const Fetch& fetch) override;
    device::View<const float> tile(const Fetch& fetch, device::Stream& stream) override;
    void release(std::int64_t slot, device::Stream& stream) override {
        stream.record(*at(slot).used);
    }
    void synchronize() override { copying_->synchronize(); }
    [[nodiscard]] Bytes fetched() const override { return copied_; }
    std::span<const float> read(std::string_view matrix, TileIndex tile) override {
        return host_.read(matrix, tile);
    }

  private:
    SlotEvents& at(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
    device::View<float> memory_of(const Fetch& fetch) {
        return memory_.view().part(fetch.slot * problem_.elements({}),
                                   problem_.elements(fetch.tile));
    }

    Problem problem_;
    TileSource& host_;
    device::Device& device_;
    device::Buffer<float> memory_;
    std::vector<SlotEvents> slots_;
    Bytes copied_;
    std::unique_ptr<device::Stream> copying_;
};

/// Tiles of C in files, which are removed in the end unless they are kept.
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
    void synchronize() override { writing_->synchronize(); }
    std::span<const float> result(TileIndex tile, TileSource& source) override {
        return next_->result(tile, source);
    }
    [[nodiscard]] Bytes written() const override { return next_->written(); }

  private:
    std::int64_t tile_elements_;
    std::unique_ptr<TileSink> next_;
    device::Device& device_;
    device::Buffer<float> memory_;
    std::array<SlotEvents, slots> slots_;
    std::int64_t stored_ = 0;
    std::unique_ptr<device::Stream> writing_;
};

}  // namespace quartet::matmul
