#pragma once

#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.hpp"
#include "matmul/tiles.hpp"

namespace quartet::matmul {

/// A tile of A or B that is brought to a slot and replaces what the slot held.
struct Fetch {
    Operand operand = Operand::a;
    TileIndex tile;
    std::int64_t slot = 0;
};

/// Where tiles lie, and where they are multiplied.
struct TilePlaces {
    bool in_files = false;
    bool on_gpu = false;

    /// Whether products read the tiles where they lie.
    [[nodiscard]] bool same() const { return !in_files && !on_gpu; }
};

/// When a slot may be read, and when it may be filled again.
struct SlotEvents {
    std::unique_ptr<device::Event> filled;
    std::unique_ptr<device::Event> used;
};

/// A stream of the arena's device for copies and files. Null while the arena plans, since each
/// stream has a line in the timeline.
std::unique_ptr<device::Stream> make_transfer_stream(const device::Arena& arena, const char* name);

/// Synchronises all `parts` that are there, then rethrows the exception of the first that failed.
template <typename... Parts>
void synchronize_all(Parts*... parts) {
    std::exception_ptr first;
    const auto await = [&](auto* part) {
        try {
            if (part != nullptr) {
                part->synchronize();
            }
        } catch (...) {
            first = first ? first : std::current_exception();
        }
    };
    (await(parts), ...);
    if (first) {
        std::rethrow_exception(first);
    }
}

/// Brings tiles of A and B to slots near a rank's products, ahead of them: from files to the host's
/// memory, from there to a GPU, or from files through a few slots of the host to a GPU. Files are
/// read on one stream, and tiles copied on another. Used by the main thread only.
class TileLoader {
  public:
    /// Slots of the host through which files pass on their way to a GPU.
    static constexpr std::int64_t passing = 4;

    /// From `files`, or from `inputs` if there are no files. Borrows `inputs` and the device.
    TileLoader(device::Arena& arena, const Problem& problem, const TilePlaces& places,
               std::int64_t slots, const ProductFiles& files, const HostInputs* inputs);

    /// Before each run.
    void prepare() { read_ = copied_ = {}; }
    /// Begins to bring a tile to its slot, once the work that uses what the slot holds is done.
    void fetch(const Fetch& fetch);
    /// A tile that was fetched. The stream's later work waits until it has come.
    device::View<const float> tile(const Fetch& fetch, device::Stream& stream);
    /// Lets the slot be filled again once the stream's work so far is done.
    void release(const Fetch& fetch, device::Stream& stream);
    /// Waits for all fetched tiles; rethrows what a stream has thrown while it brought them.
    void synchronize() { synchronize_all(reading_.get(), copying_.get()); }

    /// Bytes of the last run, from files and to a GPU.
    [[nodiscard]] Bytes read() const { return read_; }
    [[nodiscard]] Bytes copied() const { return copied_; }
    /// Between runs: a slot for a file that the check reads.
    [[nodiscard]] std::span<std::byte> free_slot() { return file_slots_.slot(0).span(); }

  private:
    void read_file(const Fetch& fetch);
    [[nodiscard]] device::View<float> on_gpu(const Fetch& fetch) {
        return gpu_slots_.view().part(fetch.slot * problem_.elements({}),
                                      problem_.elements(fetch.tile));
    }

    Problem problem_;
    TilePlaces places_;
    std::shared_ptr<const MatrixFiles> files_;
    const HostInputs* inputs_;
    device::Device& device_;
    FileSlots file_slots_;
    device::Buffer<float> gpu_slots_;
    std::vector<SlotEvents> file_events_;
    std::vector<SlotEvents> gpu_events_;
    std::int64_t passed_ = 0;  ///< tiles in files on their way to a GPU
    Bytes read_;               ///< changed by the stream while it reads
    Bytes copied_;
    std::unique_ptr<device::Stream> reading_;
    std::unique_ptr<device::Stream> copying_;
};

/// Stores complete tiles of C beside the products: from a GPU in the host's memory or in files, or
/// from the host in files. Used by the main thread only.
class TileStorer {
  public:
    /// Tiles on their way from a GPU to files.
    static constexpr std::int64_t passing = 2;

    /// In `files`, or in `result` if there are no files. Borrows `result` and the device.
    TileStorer(device::Arena& arena, const Problem& problem, const Block& block,
               const TilePlaces& places, const ProductFiles& files, HostResult* result);

    /// Before each run.
    void prepare();
    /// Stores a tile once `complete` is reached, and then reaches `stored`: the tile's memory may
    /// be used again.
    void store(TileIndex tile, device::View<const float> from, device::Event& complete,
               device::Event& stored);
    /// Waits for all stored tiles; rethrows what a stream has thrown while it stored them.
    void synchronize() { synchronize_all(writing_.get(), storing_.get()); }

    /// Bytes of the last run, to files and from a GPU.
    [[nodiscard]] Bytes written() const { return files_ ? files_->written() : Bytes{}; }
    [[nodiscard]] Bytes copied() const { return copied_; }

  private:
    Problem problem_;
    TilePlaces places_;
    HostResult* result_;
    device::Device& device_;
    device::Buffer<float> memory_;  ///< of the tiles on their way
    std::array<SlotEvents, passing> slots_;
    std::int64_t passed_ = 0;
    Bytes copied_;
    std::optional<ResultFiles> files_;
    std::unique_ptr<device::Stream> storing_;
    std::unique_ptr<device::Stream> writing_;  ///< to files, behind a GPU
};

/// The bytes that all ranks together moved, for the document. Collective over `world`.
bench::Details traffic_of_all(const comm::Communicator& world, const TilePlaces& places,
                              const Traffic& files, const Traffic& copies);

}  // namespace quartet::matmul
