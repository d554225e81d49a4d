#pragma once

#include <array>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/session/options.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/shared_memory.hpp"
#include "comm/transport/transport.hpp"
#include "core/files/file.hpp"
#include "device/arena.hpp"
#include "device/device.hpp"
#include "matmul/problem.hpp"

namespace quartet::matmul {

/// How the ranks of a node have the tiles of A and B in memory.
enum class OperandCopies {
    per_node,  ///< one copy in shared memory, of all tiles that any rank of the node needs
    per_rank,  ///< each rank has a copy of the tiles that it needs
};

/// One copy per node if the transport reads in place, else one per rank.
OperandCopies copies_over(const comm::TransportTraits& transport);

/// Some rows of one tile column of A or B, row-major and dense: its tiles follow one another, so
/// that any number of tiles of one column are one matrix.
struct OperandPanel {
    Operand operand = Operand::a;
    std::int64_t column = 0;  ///< of tiles
    Range rows;               ///< elements
    int part = 0;             ///< of the node's window; 0 if each rank has its own copy
    Bytes offset;             ///< in that part
};

/// The layout of A and B in memory: the rows of A and the columns of B that a rank needs, or that
/// the ranks of its node need. Panels are spread over the parts of a node's window in turn.
struct OperandLayout {
    /// Of `rank`, where `blocks` has the block of each rank. Local.
    OperandLayout(const Problem& problem, const std::vector<Block>& blocks, int rank,
                  const comm::Topology& topology, OperandCopies sharing);

    OperandCopies copies;
    Block block;                         ///< of this rank
    std::vector<OperandPanel> panels;    ///< A's, then B's
    std::int64_t first_column_of_b = 0;  ///< tile column of the first panel of B
    Bytes allocated;                     ///< by this rank: its part of the window, or its copy
};

/// A and B in the host's memory, filled in parallel by the ranks that share a copy.
class HostInputs {
  public:
    /// Collective over `node`, the ranks of this node; local while the arena plans. Borrows `node`.
    HostInputs(device::Arena& arena, const Problem& problem, OperandLayout layout,
               const comm::Communicator& node);

    /// Writes the tiles. Collective over the node.
    void fill();

    /// Rows of this rank's block, columns of tile column `inner` of A.
    [[nodiscard]] device::View<const float> a_rows(std::int64_t inner) const {
        return rows_of(inner, elements_of(problem_, layout_.block.rows));
    }
    [[nodiscard]] device::View<const float> tile(Operand operand, TileIndex tile) const;
    [[nodiscard]] OperandCopies copies() const { return layout_.copies; }
    /// What this rank allocated.
    [[nodiscard]] device::View<const std::byte> memory() const { return memory_.view(); }

  private:
    [[nodiscard]] device::Buffer<std::byte> allocate(device::Arena& arena);
    [[nodiscard]] float* data_of(const OperandPanel& panel) const;
    [[nodiscard]] device::View<const float> rows_of(std::int64_t panel, const Range& rows) const;

    Problem problem_;
    OperandLayout layout_;
    const comm::Communicator& node_;
    int threads_;
    std::optional<comm::SharedMemory> shared_;
    device::Buffer<std::byte> memory_;            ///< destroyed before shared_
    std::vector<device::View<std::byte>> parts_;  ///< of the node's ranks, or this one's alone
};

/// A block of C in the host's memory, in columns of tiles (offset_in_block()).
class HostResult {
  public:
    HostResult(device::Arena& arena, const Problem& problem, const Block& block)
        : problem_(problem),
          block_(block),
          memory_(arena.make<float>(elements_in(problem, block), device::MemoryKind::pinned)) {}

    [[nodiscard]] device::View<float> tile(TileIndex tile) {
        return part(tile, problem_.elements(tile));
    }
    [[nodiscard]] device::View<float> column(std::int64_t index) {
        return part({block_.rows.begin, index},
                    elements_of(problem_, block_.rows).size() * problem_.extent(index));
    }

  private:
    [[nodiscard]] device::View<float> part(TileIndex first, std::int64_t elements) {
        return memory_.view().part(offset_in_block(problem_, block_, first), elements);
    }

    Problem problem_;
    Block block_;
    device::Buffer<float> memory_;
};

/// The tiles of a folder ("A_0_3.npy"), read and written whole. Does not allocate, so that timed
/// steps can use it. Threads may share it.
class MatrixFiles {
  public:
    /// Throws FileError if there is no such folder.
    MatrixFiles(const std::filesystem::path& folder, const Problem& problem, FileCache cache);

    /// The offset of the elements in a file and in a slot: the length of its header.
    static constexpr Bytes elements_offset{128};
    /// Memory that reading a tile takes: its file in whole pages, as direct input wants it.
    static Bytes slot_bytes(const Problem& problem) {
        return direct_size(problem.tile_bytes() + elements_offset);
    }

    /// Reads a tile's file into a slot of slot_bytes(), aligned to direct_alignment, in which the
    /// elements then begin at elements_offset. Throws NpyError or FileError that names the file.
    std::span<const float> read(std::string_view matrix, TileIndex tile,
                                std::span<std::byte> slot) const;
    /// Writes a tile of C, over the file that was put aside, if there is one. Throws FileError.
    void write(TileIndex tile, std::span<const float> elements) const;
    /// Renames the file of a tile of C, if there is one, so that write() can write over it.
    void put_aside(TileIndex tile) const;
    /// Removes the file of a tile of C, and one that was put aside, if they are there.
    void remove(TileIndex tile) const;
    /// With --cache drop: makes the page cache forget the block's tiles of A and B.
    void forget_inputs(const Block& block) const;

    [[nodiscard]] FileCache cache() const { return cache_; }

  private:
    [[nodiscard]] const std::string& header_of(TileIndex tile) const;

    Folder folder_;
    Problem problem_;
    FileCache cache_;
    std::array<std::array<std::string, 2>, 2> headers_;  ///< [in the last row][last column]
};

/// The files that a product works with.
struct ProductFiles {
    /// Null if A, B and C are in memory, and while a case is planned.
    std::shared_ptr<const MatrixFiles> matrices;
    bench::Switch keep = bench::Switch::off;  ///< whether C's files stay when the case ends
};

/// Slots of the host's memory for the files of tiles, each aligned for direct input.
class FileSlots {
  public:
    FileSlots(device::Arena& arena, const Problem& problem, std::int64_t count);

    /// A slot that MatrixFiles::read can read to.
    [[nodiscard]] device::View<std::byte> slot(std::int64_t index) {
        const std::int64_t size = MatrixFiles::slot_bytes(problem_).value;
        return memory_.view().part(first_ + index * size, size);
    }
    /// The elements of a tile that was read to a slot.
    [[nodiscard]] device::View<const float> elements(std::int64_t index, TileIndex tile) {
        return device::view_as<float>(slot(index).part(
            MatrixFiles::elements_offset.value, bytes_of<float>(problem_.elements(tile)).value));
    }

  private:
    Problem problem_;
    device::Buffer<std::byte> memory_;
    std::int64_t first_;  ///< byte at which the first slot begins
};

/// Tiles of C in files, which are removed in the end unless they are kept.
class ResultFiles {
  public:
    /// `block` has the rank's tiles. Other tiles can be stored, too, but their files always stay.
    ResultFiles(const Block& block, ProductFiles files) : block_(block), files_(std::move(files)) {}
    ~ResultFiles();
    ResultFiles(const ResultFiles&) = delete;
    ResultFiles& operator=(const ResultFiles&) = delete;

    /// Before each run: takes away the block's tiles of the run before. With a warm page cache they
    /// are put aside and the run writes over them, if this job wrote them; files of other jobs are
    /// removed, since somebody may be reading them.
    void prepare();
    /// Enqueues the writing of a complete tile, whose memory must not change until it is written.
    void store(TileIndex tile, device::View<const float> from, device::Stream& stream);
    /// Bytes that this run has written. Valid after the stream has been synchronised.
    [[nodiscard]] Bytes written() const { return written_; }

  private:
    Block block_;
    ProductFiles files_;
    bool has_prepared_ = false;  ///< from then on this job has written the files of C
    Bytes written_;              ///< changed by the stream that writes
};

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
