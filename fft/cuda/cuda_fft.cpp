#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/block_range.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "fft/cuda/cufft.hpp"
#include "fft/cuda/kernels.hpp"
#include "fft/four_step.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

namespace {

using device::as_cuda;
using device::cuda_check;
using device::CudaEvent;
using device::gpu_attribute;
using device::MemoryKind;
using device::Stream;
using device::View;

static_assert(fft_block_bins == FourStepFft::block_bins);

// Points as kernels take them.
double2* as_pairs(Point* points) {
    return reinterpret_cast<double2*>(points);
}
const double2* as_pairs(const Point* points) {
    return reinterpret_cast<const double2*>(points);
}

// `count` numbers in the GPU's memory, as fill(values) makes them, unless the arena plans.
template <typename Fill>
device::Buffer<double2> table_on_gpu(device::Arena& arena, std::int64_t count, Fill fill) {
    auto table = arena.make<double2>(count);
    if (arena.plans())
        return table;
    std::vector<Point> values(static_cast<std::size_t>(count));
    fill(values);
    const View<const Point> source(values.data(), count, MemoryKind::host);
    device::cuda_memory(arena.device()).copy_now(as_bytes(source), as_bytes(table.view()));
    return table;
}

/// The means of the plans below. A plan by cuFFT does a batch in pieces whose workspace is at most
/// `most_workspace`, unless one transform takes more.
struct Tools {
    device::Arena& arena;
    std::shared_ptr<const CufftLibrary> library;
    Bytes most_workspace;
};

std::string version_of(const CufftLibrary& library) {
    int version = 0;
    check(library.get_version(&version) == CUFFT_SUCCESS, "cufftGetVersion failed");
    return fmt::format("cuFFT {}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

/// `count` transforms of `length` points that lie `step` apart, one transform's first point
/// `distance` from that of the one before: rows of a matrix, or its columns.
struct FftLayout {
    std::int64_t length = 1;
    std::int64_t count = 0;
    std::int64_t step = 1;
    std::int64_t distance = 1;
};

/// A cuFFT plan with its own workspace. Uses of one plan must follow one another.
class CufftPlan {
  public:
    CufftPlan(const FftLayout& layout, const Tools& tools) : CufftPlan(tools.library) {
        check_status(library_->set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
        // In one dimension cuFFT requires the extent of a layout, but does not use it.
        long long length = layout.length;
        long long* extent =
            layout.step == 1 && layout.distance == layout.length ? nullptr : &length;
        std::size_t size = 0;
        check_status(library_->make_plan_many(handle_, 1, &length, extent, layout.step,
                                              layout.distance, extent, layout.step, layout.distance,
                                              CUFFT_Z2Z, layout.count, &size),
                     "cufftMakePlanMany64");
        // cuFFT wants an address even if it needs no workspace.
        workspace_ = tools.arena.device().allocate(
            std::max(kibibytes(1), Bytes{static_cast<std::int64_t>(size)}), MemoryKind::device);
        check_status(library_->set_work_area(handle_, workspace_.data.get()), "cufftSetWorkArea");
    }
    ~CufftPlan() { static_cast<void>(library_->destroy(handle_)); }
    CufftPlan(const CufftPlan&) = delete;
    CufftPlan& operator=(const CufftPlan&) = delete;

    /// Out of place, cuFFT keeps the input of complex transforms, but does not say so by const.
    void run(const double2* from, double2* to, cudaStream_t stream) const {
        check_status(library_->set_stream(handle_, stream), "cufftSetStream");
        check_status(library_->execute(handle_, const_cast<double2*>(from), to, CUFFT_FORWARD),
                     "cufftExecZ2Z");
    }

  private:
    // Delegated to, so that the handle is destroyed where planning fails.
    explicit CufftPlan(std::shared_ptr<const CufftLibrary> library) : library_(std::move(library)) {
        check_status(library_->create(&handle_), "cufftCreate");
    }
    static void check_status(cufftResult status, const char* call) {
        if (status != CUFFT_SUCCESS) [[unlikely]]
            throw Failure(fmt::format("{} failed (cuFFT's error {}): use a smaller size", call,
                                      static_cast<int>(status)));
    }

    std::shared_ptr<const CufftLibrary> library_;
    cufftHandle handle_ = 0;
    device::Allocation workspace_;
};

/// The transforms of a layout, done in pieces that differ by as little as can be, since cuFFT's
/// workspace grows with what is done at once: all pieces have at_once() transforms, but the last
/// one may have fewer. Without plans while the arena plans.
class Batches {
  public:
    /// Pieces whose points, and so about whose workspace, take at most tools.most_workspace, one
    /// transform at least. Where there are several pieces, `together` transforms stay together.
    Batches(const FftLayout& layout, const Tools& tools, std::int64_t together = 1)
        : layout_(layout) {
        const std::int64_t count = layout.count;
        std::int64_t last = 0;
        if (count > 0) {
            const std::int64_t most = std::max<std::int64_t>(
                1, tools.most_workspace.value / bytes_of<Point>(layout.length).value);
            each_ = divide_up(count, divide_up(count, most));
            if (each_ < count)
                each_ = divide_up(each_, together) * together;
            pieces_ = divide_up(count, each_);
            last = size(pieces_ - 1);
        }
        // Estimated: a plan by cuFFT takes about the size of its points.
        const std::int64_t planned = each_ + (last != each_ ? last : 0);
        tools.arena.reserve(std::max(kibibytes(2), bytes_of<Point>(planned * layout.length)),
                            MemoryKind::device);
        if (layout.length == 1 || count == 0 || tools.arena.plans())
            return;
        FftLayout piece = layout;
        piece.count = each_;
        plan_.emplace(piece, tools);
        piece.count = last;
        if (last != each_)
            last_.emplace(piece, tools);
    }

    [[nodiscard]] std::int64_t pieces() const { return pieces_; }
    /// The first transform of a piece, and how many there are.
    [[nodiscard]] std::int64_t first(std::int64_t piece) const { return piece * each_; }
    [[nodiscard]] std::int64_t size(std::int64_t piece) const {
        return std::min(each_, layout_.count - first(piece));
    }
    [[nodiscard]] std::int64_t at_once() const { return each_; }

    /// Transforms a piece, the first point of which is given, to the same layout or in place.
    void run_piece(std::int64_t piece, const double2* from, double2* to,
                   cudaStream_t stream) const {
        if (layout_.length > 1)
            (last_ && piece == pieces_ - 1 ? *last_ : *plan_).run(from, to, stream);
        else if (from != to)
            cuda_check(
                cudaMemcpyAsync(to, from, static_cast<std::size_t>(size(piece)) * sizeof(Point),
                                cudaMemcpyDeviceToDevice, stream),
                "cudaMemcpyAsync");
    }
    void run(const double2* from, double2* to, cudaStream_t stream) const {
        for (std::int64_t piece = 0; piece < pieces_; ++piece) {
            const std::int64_t begin = first(piece) * layout_.distance;
            run_piece(piece, from + begin, to + begin, stream);
        }
    }

  private:
    FftLayout layout_;
    std::int64_t pieces_ = 0;
    std::int64_t each_ = 0;
    std::optional<CufftPlan> plan_;
    std::optional<CufftPlan> last_;  ///< where the last piece is shorter
};

/// Tables of the powers of exp(-2 pi i / order) in the GPU's memory.
class TwiddleTables {
  public:
    TwiddleTables(device::Arena& arena, std::int64_t order) : shift_(twiddle_shift(order)) {
        const RootsOfUnity roots(arena.plans() ? 1 : order);
        const auto powers = [&](std::int64_t step, std::int64_t count) {
            return table_on_gpu(arena, count, [&](std::vector<Point>& table) {
                for (std::int64_t i = 0; i < count; ++i)
                    table[static_cast<std::size_t>(i)] =
                        roots(static_cast<std::uint64_t>(i * step % order));
            });
        };
        const std::int64_t fine_entries = std::int64_t{1} << shift_;
        coarse_ = powers(fine_entries, ((order - 1) >> shift_) + 1);
        fine_ = powers(1, fine_entries);
    }

    [[nodiscard]] Twiddles view() const {
        return {coarse_.view().data(), fine_.view().data(), shift_};
    }

  private:
    int shift_;
    device::Buffer<double2> coarse_;
    device::Buffer<double2> fine_;
};

/// For any T and M: cuFFT's transforms, piece by piece, between kernels that pack and transpose.
class CudaColumnFfts final : public ColumnFfts {
  public:
    CudaColumnFfts(const FourStepFft& shape, const Tools& tools)
        : ColumnFfts(shape, MemoryKind::device),
          name_(version_of(*tools.library)),
          batches_({shape.length, shape.my_tiles().size(), 1, shape.length}, tools),
          twiddles_(tools.arena, shape.points()),
          transformed_(tools.arena.make<double2>(batches_.at_once() * shape.length)) {}
    [[nodiscard]] std::string description() const override {
        return fmt::format("{}, batches of {}", name_, batches_.at_once());
    }

  private:
    void enqueue(View<const Point> tiles, View<double> parts, Stream& stream) override {
        double2* transformed = transformed_.view().data();
        stream.wait(used_);
        for (std::int64_t piece = 0; piece < batches_.pieces(); ++piece) {
            const double2* from = as_pairs(tiles.data()) + batches_.first(piece) * shape().length;
            as_cuda(stream).launch(Phase::compute, "fft", [&](cudaStream_t handle) {
                batches_.run_piece(piece, from, transformed, handle);
            });
            double* part = parts.data();
            for (int to = 0; to < shape().ranks; ++to) {
                const Range bins = shape().bins_of(to);
                const PackShape pack_shape{batches_.size(piece),
                                           shape().length,
                                           shape().my_tiles().begin + batches_.first(piece),
                                           batches_.first(piece),
                                           shape().my_tiles().size(),
                                           bins.begin,
                                           bins.size()};
                as_cuda(stream).launch(Phase::compute, "pack", [&](cudaStream_t handle) {
                    launch_pack(pack_shape, twiddles_.view(), transformed, part, handle);
                });
                part += shape().part_size(shape().rank, to);
            }
        }
        stream.record(used_);
    }

    std::string name_;
    Batches batches_;
    TwiddleTables twiddles_;
    device::Buffer<double2> transformed_;
    CudaEvent used_;
};

class CudaRowFfts final : public RowFfts {
  public:
    CudaRowFfts(const FourStepFft& shape, const Tools& tools)
        : RowFfts(shape, MemoryKind::device),
          name_(version_of(*tools.library)),
          batches_({shape.tiles, shape.my_bins().size(), 1, shape.tiles}, tools, fft_block_bins),
          gathered_(tools.arena.make<double2>(batches_.at_once() * shape.tiles)),
          summed_(tools.arena.make<double2>(batches_.at_once() * shape.tiles)) {}
    [[nodiscard]] std::string description() const override {
        return fmt::format("{}, batches of {}", name_, batches_.at_once());
    }

  private:
    void enqueue(std::span<const View<const double>> parts, View<Point> bins,
                 Stream& stream) override {
        stream.wait(used_);
        for (std::int64_t piece = 0; piece < batches_.pieces(); ++piece) {
            for (int step = 0; step < shape().ranks; ++step) {
                const int from = peer_at_step(step, shape().rank, shape().ranks);
                const Range tiles = shape().tiles_of(from);
                const UnpackShape unpack_shape{batches_.first(piece), batches_.size(piece),
                                               tiles.begin, tiles.size(), shape().tiles};
                const double* part = parts[static_cast<std::size_t>(from)].data();
                as_cuda(stream).launch(Phase::merge, "gather", [&](cudaStream_t handle) {
                    launch_unpack(unpack_shape, part, gathered_.view().data(), handle);
                });
            }
            as_cuda(stream).launch(Phase::compute, "fft", [&](cudaStream_t handle) {
                batches_.run_piece(piece, gathered_.view().data(), summed_.view().data(), handle);
            });
            const TransposeShape transpose_shape{shape().tiles, batches_.size(piece),
                                                 batches_.first(piece), shape().my_bins().size()};
            as_cuda(stream).launch(Phase::merge, "scatter", [&](cudaStream_t handle) {
                launch_transpose(transpose_shape, summed_.view().data(), as_pairs(bins.data()),
                                 handle);
            });
        }
        stream.record(used_);
    }

    std::string name_;
    Batches batches_;
    device::Buffer<double2> gathered_;  ///< [bin of the piece][t]
    device::Buffer<double2> summed_;    ///< [bin of the piece][k2]
    CudaEvent used_;
};

class CudaTranspose final : public Transpose {
  public:
    explicit CudaTranspose(const FourStepFft& shape) : Transpose(shape, MemoryKind::device) {}

  private:
    void enqueue(std::span<const View<const Point>> parts, View<Point> bins,
                 Stream& stream) override {
        const Range mine = block_range(shape().points(), shape().ranks, shape().rank);
        for (int step = 0; step < shape().ranks; ++step) {
            const int from = peer_at_step(step, shape().rank, shape().ranks);
            const View<const Point>& part = parts[static_cast<std::size_t>(from)];
            if (part.empty())
                continue;
            const Range columns = shape().bins_of(from);
            const NaturalOrderShape order{columns.begin,  columns.size(),
                                          shape().length, bins_below(shape(), from, mine.begin),
                                          part.size(),    mine.begin};
            as_cuda(stream).launch(Phase::merge, "natural", [&](cudaStream_t handle) {
                launch_natural_order(order, as_pairs(part.data()), as_pairs(bins.data()), handle);
            });
        }
    }
};

std::string text_of(const FftSplit& split) {
    return fmt::format("our passes of 2^{}{} x 2^{} points", split.first,
                       split.middle > 0 ? fmt::format(" x 2^{}", split.middle) : "", split.last);
}
std::string text_of(const ColumnSplit& split) {
    return fmt::format("our columns of 2^{}{} points", split.first,
                       split.second > 0 ? fmt::format(" x 2^{}", split.second) : "");
}

// Makes what comes on one stream wait for what has come on the other.
void follow(cudaStream_t stream, cudaStream_t before, const CudaEvent& event) {
    cuda_check(cudaEventRecord(event.handle(), before), "cudaEventRecord");
    cuda_check(cudaStreamWaitEvent(stream, event.handle(), 0), "cudaStreamWaitEvent");
}

struct DestroyStream {
    void operator()(cudaStream_t stream) const { device::ignore(cudaStreamDestroy(stream)); }
};

/// Transforms by our own passes over memory (passes.cpp), of all points or of columns.
template <typename Split>
class MultiPass {
  public:
    MultiPass(device::Arena& arena, const Split& split)
        : split_(split),
          roots_(table_on_gpu(arena, fft_root_entries, fill_roots)),
          work_(arena.make<double2>(split.work())),
          scratch_(arena.make<double2>(split.scratch())),
          multiprocessors_(gpu_attribute(cudaDevAttrMultiProcessorCount)) {
        cudaStream_t stream = nullptr;
        cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
        other_lane_.reset(stream);
    }

    /// Out of place or in place; columns in place alone. The passes without a lane and the first
    /// lane's run on `stream`, the other lane's on a stream between events of that one.
    void run(const double2* from, double2* to, cudaStream_t stream) {
        const FftBuffers buffers{from, work_.view().data(), scratch_.view().data(), to,
                                 roots_.view().data()};
        bool in_lanes = false;
        for_each_pass(split_, buffers,
                      [&](const FftPassShape& shape, const FftPass& pass, std::optional<int> lane) {
                          check(has_fft_pass(shape), "fft: no kernel of a pass");
                          if (lane && !in_lanes)
                              follow(other_lane_.get(), stream, began_);
                          in_lanes = lane.has_value();
                          launch_fft_pass(shape, pass, multiprocessors_,
                                          lane.value_or(0) == 0 ? stream : other_lane_.get());
                      });
        if (in_lanes)
            follow(stream, other_lane_.get(), ended_);
    }
    [[nodiscard]] std::string description() const { return text_of(split_); }

  private:
    static void fill_roots(std::vector<Point>& table) {
        for (std::int64_t order = 1; order < fft_root_entries; order *= 2) {
            const RootsOfUnity roots(order);
            for (std::int64_t j = 0; j < order; ++j)
                table[static_cast<std::size_t>(order + j)] = roots(static_cast<std::uint64_t>(j));
        }
    }

    Split split_;
    device::Buffer<double2> roots_;
    device::Buffer<double2> work_;
    device::Buffer<double2> scratch_;
    int multiprocessors_;
    std::unique_ptr<CUstream_st, DestroyStream> other_lane_;
    CudaEvent began_;
    CudaEvent ended_;
};

/// One tile by our own passes or by cuFFT. Several: FFTs of the contiguous tiles by cuFFT, then
/// factors and FFTs over the tiles in place, so that bin k2 of column k1 ends in row k2: by our own
/// passes, or by cuFFT and a kernel for the factors.
class CudaSingleRankFft final : public SingleRankFft {
  public:
    enum class Passes { never, where_possible };

    CudaSingleRankFft(const FourStepFft& shape, Passes passes, const Tools& tools)
        : SingleRankFft(shape, MemoryKind::device), name_(version_of(*tools.library)) {
        check(shape.ranks == 1, "single-rank FFT: for the tiles of one rank");
        const bool own = passes == Passes::where_possible && has_fft_passes();
        const std::int64_t cache = own ? gpu_attribute(cudaDevAttrL2CacheSize) : 0;
        if (own && shape.tiles == 1) {
            if (const auto split = split_fft(shape.length, cache)) {
                passes_.emplace(tools.arena, *split);
                return;
            }
        }
        tiles_.emplace(FftLayout{shape.length, shape.tiles, 1, shape.length}, tools);
        if (shape.tiles == 1)
            return;
        if (const auto split =
                own ? split_columns(shape.tiles, shape.length, cache) : std::nullopt) {
            own_columns_.emplace(tools.arena, *split);
            return;
        }
        columns_.emplace(FftLayout{shape.tiles, shape.length, shape.length, 1}, tools);
        twiddles_.emplace(tools.arena, shape.points());
    }

    [[nodiscard]] std::string description() const override {
        if (passes_)
            return passes_->description();
        if (shape().tiles == 1)
            return name_ + "'s own transform";
        const std::string tiles = fmt::format("{}, {} tiles", name_, tiles_->at_once());
        return own_columns_
                   ? fmt::format("{} at a time; {}", tiles, own_columns_->description())
                   : fmt::format("{} and {} columns at a time", tiles, columns_->at_once());
    }

  private:
    void enqueue(View<const Point> tiles, View<Point> bins, Stream& stream) override {
        const double2* from = as_pairs(tiles.data());
        double2* to = as_pairs(bins.data());
        stream.wait(used_);
        as_cuda(stream).launch(Phase::compute, passes_ ? "passes" : "tiles",
                               [&](cudaStream_t handle) {
                                   if (passes_)
                                       passes_->run(from, to, handle);
                                   else
                                       tiles_->run(from, to, handle);
                               });
        if (columns_)
            as_cuda(stream).launch(Phase::compute, "factors", [&](cudaStream_t handle) {
                launch_twiddles(shape().tiles, shape().length, twiddles_->view(), to, handle);
            });
        if (columns_ || own_columns_)
            as_cuda(stream).launch(Phase::merge, "sums", [&](cudaStream_t handle) {
                if (own_columns_)
                    own_columns_->run(to, to, handle);
                else
                    columns_->run(to, to, handle);
            });
        stream.record(used_);
    }

    std::string name_;
    std::optional<MultiPass<FftSplit>> passes_;
    std::optional<Batches> tiles_;
    std::optional<MultiPass<ColumnSplit>> own_columns_;
    std::optional<Batches> columns_;
    std::optional<TwiddleTables> twiddles_;
    CudaEvent used_;
};

class CudaFfts final : public FftFactory {
  public:
    explicit CudaFfts(Bytes most_workspace)
        : library_(load_cufft()), most_workspace_(most_workspace) {
        for (const auto load : {load_four_step_kernels, load_fft_pass_kernels})
            cuda_check(load(), "cudaFuncGetAttributes");
    }

    std::unique_ptr<ColumnFfts> column_ffts(device::Arena& arena,
                                            const FourStepFft& shape) override {
        return std::make_unique<CudaColumnFfts>(shape, tools(arena));
    }
    std::unique_ptr<RowFfts> row_ffts(device::Arena& arena, const FourStepFft& shape) override {
        return std::make_unique<CudaRowFfts>(shape, tools(arena));
    }
    std::unique_ptr<Transpose> transpose(const FourStepFft& shape) override {
        return std::make_unique<CudaTranspose>(shape);
    }
    std::unique_ptr<SingleRankFft> single_rank_fft(device::Arena& arena,
                                                   const FourStepFft& shape) override {
        if (shape.ranks > 1)
            return nullptr;
        return std::make_unique<CudaSingleRankFft>(shape, CudaSingleRankFft::Passes::where_possible,
                                                   tools(arena));
    }
    std::unique_ptr<SingleRankFft> vendors_fft(device::Arena& arena, std::int64_t points) override {
        return std::make_unique<CudaSingleRankFft>(FourStepFft{1, points, 1, 0},
                                                   CudaSingleRankFft::Passes::never, tools(arena));
    }

  private:
    Tools tools(device::Arena& arena) { return {arena, library_, most_workspace_}; }

    std::shared_ptr<const CufftLibrary> library_;
    Bytes most_workspace_;
};

}  // namespace

std::unique_ptr<FftFactory> make_cuda_ffts(Bytes most_workspace) {
    return std::make_unique<CudaFfts>(most_workspace);
}

void fill_tiles_on_gpu(View<Point> points, std::uint64_t seed, const Problem& problem,
                       std::int64_t first, Stream& stream) {
    cuda_check(load_random_kernels(), "cudaFuncGetAttributes");
    const RandomTiles tiles{source_of_points(seed), problem.tiles, problem.length(), first};
    as_cuda(stream).launch(Phase::compute, "random points", [&](cudaStream_t handle) {
        launch_random_points(tiles, as_pairs(points.data()), points.size(), handle);
    });
}

}  // namespace quartet::fft
