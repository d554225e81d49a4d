#include "fft/native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/session/variants.hpp"
#include "comm/transport/transport.hpp"
#include "device/accelerator.hpp"
#include "device/fft_factory.hpp"
#include "device/host_access.hpp"
#include "fft/problem/files.hpp"
#include "fft/problem/transform_limit.hpp"
#include "fft/problem/verify.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

std::int64_t NativePlan::result_points() const {
    return algorithm == Algorithm::transposed
               ? shape.output_points()
               : block_range(shape.points(), shape.ranks, shape.rank).size();
}

namespace {

/// The buffers to which a transform writes on one rank.
struct NativeBuffers {
    /// Collective where the arena allocates.
    NativeBuffers(bench::Arena& arena, const NativePlan& plan);

    device::Buffer<double> parts;  ///< sent by the first exchange
    device::Buffer<Point> bins;    ///< sent by the second exchange
    device::Buffer<Point> result;  ///< empty in place
};

NativeBuffers::NativeBuffers(bench::Arena& arena, const NativePlan& plan)
    : result(arena.make<Point>(plan.in_place() ? 0 : plan.result_points())) {
    if (plan.has_four_steps()) {
        parts = arena.make<double>(plan.shape.parts_size(), bench::Room::device_window);
    }
    if (plan.algorithm == Algorithm::natural) {
        bins = arena.make<Point>(plan.shape.output_points(), bench::Room::device_window);
    }
}

Algorithm single_rank_algorithm(bench::Session& session, const device::FourStepFft& shape,
                                Bytes workspace) {
    if (session.gpus().empty()) {
        return Algorithm::single_rank;
    }
    const Bytes beside = 2 * bytes_of<Point>(shape.points()) + workspace;
    const Bytes free = session.gpus().memory_share();
    const Bytes allowed = session.options().device_memory.value_or(free);
    return beside <= std::min(free, allowed) ? Algorithm::single_rank
                                             : Algorithm::single_rank_in_place;
}

// The bytes that the two exchanges bring this rank from others.
Bytes received_bytes(const NativePlan& plan) {
    const device::FourStepFft& shape = plan.shape;
    Bytes received;
    for (int from = 0; from < shape.ranks; ++from) {
        if (from == shape.rank) {
            continue;
        }
        received = received + bytes_of<double>(shape.part_size(from, shape.rank));
        if (plan.algorithm == Algorithm::natural) {
            received = received + bytes_of<Point>(natural_part_points(shape, from, shape.rank));
        }
    }
    return received;
}

/// Brings this rank's tiles to the memory where they are transformed.
class InputTiles {
  public:
    virtual ~InputTiles() = default;
    /// Before each run, outside of the time.
    virtual void prepare() = 0;
    /// At the beginning of each run: enqueues on the session's stream what counts as input.
    /// Allocates nothing. Throws Failure, or has the stream throw it, if a file cannot be read.
    virtual void load() = 0;
};

/// Whether runs leave the input as it is.
enum class InputUse { kept, overwritten };

/// Tiles from the seed: made once, or anew before each run where runs overwrite them.
class GeneratedTiles final : public InputTiles {
  public:
    GeneratedTiles(bench::Session& session, const NativePlan& plan, device::View<Point> input,
                   InputUse use)
        : session_(session),
          problem_(plan.problem),
          first_(plan.shape.my_tiles().begin * plan.shape.length),
          input_(input),
          use_(use) {
        fill();
    }

    void prepare() override {
        if (use_ == InputUse::overwritten) {
            fill();
        }
    }
    void load() override {}

  private:
    void fill();

    bench::Session& session_;
    Problem problem_;
    std::int64_t first_;  ///< this rank's first point, counted over all tiles
    device::View<Point> input_;
    InputUse use_;
};

void GeneratedTiles::fill() {
    const std::uint64_t seed = session_.options().seed;
    device::Stream& stream = session_.stream();
    if (input_.kind() == device::MemoryKind::device) {
        const DataSource source = source_of_points(seed);
        const device::RandomTiles tiles{source, problem_.tiles, problem_.length(), first_};
        session_.device().accelerator()->fill_tiles(tiles, input_, stream);
        stream.synchronize();
        return;
    }
    stream.synchronize();
    const std::span<Point> points = input_.span();
    system::parallel_parts(session_.threads(), [&](int thread) {
        const Range mine = block_range(std::ssize(points), session_.threads(), thread);
        fill_tiles(points.subspan(static_cast<std::size_t>(mine.begin),
                                  static_cast<std::size_t>(mine.size())),
                   seed, problem_, first_ + mine.begin);
    });
}

/// This rank's files.
TileFileReader tile_files(bench::Session& session, const NativePlan& plan) {
    return {prepared_tiles(session, plan.problem, plan.data), plan.problem, plan.shape.my_tiles(),
            plan.data};
}

/// Tiles that are read from files straight into memory of the host.
class FileTiles final : public InputTiles {
  public:
    FileTiles(bench::Session& session, const NativePlan& plan, device::View<Point> input)
        : session_(session), reader_(tile_files(session, plan)), input_(input) {
        load();
    }

    void prepare() override { reader_.prepare(); }
    void load() override {
        session_.stream().enqueue(Phase::read, "tiles", [this] { reader_.read(input_.span()); });
    }

  private:
    bench::Session& session_;
    TileFileReader reader_;
    device::View<Point> input_;
};

/// Tiles that go from files to a GPU.
class StagedFileTiles final : public InputTiles {
  public:
    StagedFileTiles(bench::Session& session, const NativePlan& plan, device::View<Point> input)
        : loader_(session, plan.problem, plan.shape.my_tiles(), plan.data), input_(input) {
        load();
    }

    void prepare() override { loader_.prepare(); }
    void load() override {
        const std::int64_t length = loader_.length();
        for (std::int64_t tile = 0; tile < loader_.tiles(); ++tile) {
            const auto place = input_.part(tile * length, length);
            loader_.begin(tile, tile, place);
            loader_.bring(tile, place);
        }
        loader_.finish();
    }

  private:
    TileLoader loader_;
    device::View<Point> input_;
};

/// Tiles from the seed or from files, as the plan says; when this returns, they are in place on the
/// session's stream. Makes and checks files. Collective. Throws Failure.
std::unique_ptr<InputTiles> make_input_tiles(bench::Session& session, const NativePlan& plan,
                                             device::View<Point> input, InputUse use) {
    if (!plan.data.in_files()) {
        return std::make_unique<GeneratedTiles>(session, plan, input, use);
    }
    if (input.kind() == device::MemoryKind::device) {
        prepared_tiles(session, plan.problem, plan.data);
        return std::make_unique<StagedFileTiles>(session, plan, input);
    }
    return std::make_unique<FileTiles>(session, plan, input);
}

/// One prepared transform of this rank's tiles: its FFT plans and exchanges.
class NativeTransform {
  public:
    virtual ~NativeTransform() = default;
    /// Enqueues the transform; allocates nothing. Collective.
    virtual void run(device::Stream& stream) = 0;
    /// This rank's part of the result.
    [[nodiscard]] virtual device::View<Point> result() = 0;
    /// The algorithms, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
};

/// One rank's transform by a SingleRankFft, the result beside the input.
class SingleRankTransform final : public NativeTransform {
  public:
    SingleRankTransform(const NativePlan& plan, device::Device& device, device::View<Point> input,
                        device::View<Point> result)
        : fft_(device.ffts().plan_single_rank_fft(plan.shape)), input_(input), result_(result) {}

    void run(device::Stream& stream) override { fft_->run(input_, result_, stream); }
    [[nodiscard]] device::View<Point> result() override { return result_; }
    [[nodiscard]] std::string description() const override { return fft_->description(); }

  private:
    std::unique_ptr<device::SingleRankFft> fft_;
    device::View<const Point> input_;
    device::View<Point> result_;
};

/// The transform that a user would call: the device's own of one length, planned as such.
class LibraryTransform final : public NativeTransform {
  public:
    LibraryTransform(const NativePlan& plan, device::Device& device, device::View<Point> input,
                     device::View<Point> result)
        : fft_(device.ffts().plan_fft({plan.problem.points, 1})),
          input_(input),
          result_(result),
          description_(device.ffts().description()) {}

    void run(device::Stream& stream) override { fft_->forward(input_, result_, stream); }
    [[nodiscard]] device::View<Point> result() override { return result_; }
    [[nodiscard]] std::string description() const override {
        return description_ + "'s own transform, out of place, in natural order";
    }

  private:
    std::unique_ptr<device::FftPlan> fft_;
    device::View<const Point> input_;
    device::View<Point> result_;
    std::string description_;
};

/// The same over the input.
class InPlaceTransform final : public NativeTransform {
  public:
    InPlaceTransform(const NativePlan& plan, device::Device& device, device::View<Point> input)
        : fft_(device.ffts().plan_single_rank_fft(plan.shape)), points_(input) {}

    void run(device::Stream& stream) override {
        fft_->run(device::View<const Point>(points_), points_, stream);
    }
    [[nodiscard]] device::View<Point> result() override { return points_; }
    [[nodiscard]] std::string description() const override {
        return fft_->description() + "; in place, made anew for each run";
    }

  private:
    std::unique_ptr<device::SingleRankFft> fft_;
    device::View<Point> points_;
};

/// One rank's exchange with itself: what it writes is read where it is.
class NoExchange final : public comm::Exchange {
  public:
    explicit NoExchange(device::View<const std::byte> data) : parts_{data} {}

    void run(device::Stream&) override {}
    void release(device::Stream&) override {}
    [[nodiscard]] comm::PartLocation location() const override {
        return comm::PartLocation::at_sender;
    }
    [[nodiscard]] std::span<const device::View<const std::byte>> parts() const override {
        return parts_;
    }

  private:
    std::array<device::View<const std::byte>, 1> parts_;
};

std::unique_ptr<comm::Exchange> exchange_of_parts(const device::FourStepFft& shape,
                                                  comm::Transport& transport,
                                                  device::View<const double> parts) {
    if (shape.ranks == 1) {
        return std::make_unique<NoExchange>(device::as_bytes(parts));
    }
    std::vector<std::int64_t> counts;
    for (int to = 0; to < shape.ranks; ++to) {
        counts.push_back(bytes_of<double>(shape.part_size(shape.rank, to)).value);
    }
    return transport.prepare_exchange({comm::consecutive(device::as_bytes(parts), counts)});
}

std::unique_ptr<comm::Exchange> exchange_of_bins(const device::FourStepFft& shape,
                                                 comm::Transport& transport,
                                                 device::View<const Point> bins) {
    std::vector<std::int64_t> counts;
    for (int to = 0; to < shape.ranks; ++to) {
        counts.push_back(bytes_of<Point>(natural_part_points(shape, shape.rank, to)).value);
    }
    return transport.prepare_exchange({comm::consecutive(device::as_bytes(bins), counts)});
}

template <typename T>
std::vector<device::View<const T>> parts_of(const comm::Exchange& exchange) {
    std::vector<device::View<const T>> parts;
    for (const device::View<const std::byte>& part : exchange.parts()) {
        parts.push_back(device::view_as<T>(part));
    }
    return parts;
}

/// Column FFTs with twiddles, one exchange, row FFTs (device/four_step_fft.hpp). Where the
/// transport reads in place, the row FFTs read what other ranks have written.
class TransposedTransform final : public NativeTransform {
  public:
    /// `parts` is what this rank sends, by receiver; `transposed` gets the result. Collective.
    TransposedTransform(const NativePlan& plan, device::Device& device, comm::Transport& transport,
                        device::View<Point> input, device::View<double> parts,
                        device::View<Point> transposed);

    void run(device::Stream& stream) override;
    [[nodiscard]] device::View<Point> result() override { return transposed_; }
    [[nodiscard]] std::string description() const override;

  private:
    device::View<const Point> input_;
    device::View<double> parts_;
    device::View<Point> transposed_;
    std::unique_ptr<device::ColumnFfts> column_ffts_;
    std::unique_ptr<device::RowFfts> row_ffts_;
    std::unique_ptr<comm::Exchange> exchange_;
    std::vector<device::View<const double>> received_;  ///< by sender
};

/// A TransposedTransform, then a second exchange into natural order.
class NaturalTransform final : public NativeTransform {
  public:
    /// Collective.
    NaturalTransform(const NativePlan& plan, device::Device& device, comm::Transport& transport,
                     device::View<Point> input, NativeBuffers& buffers);

    void run(device::Stream& stream) override;
    [[nodiscard]] device::View<Point> result() override { return natural_; }
    [[nodiscard]] std::string description() const override { return transposed_.description(); }

  private:
    TransposedTransform transposed_;
    device::View<Point> natural_;
    std::unique_ptr<device::Transpose> transpose_;
    std::unique_ptr<comm::Exchange> exchange_;
    std::vector<device::View<const Point>> received_;  ///< by sender
};

TransposedTransform::TransposedTransform(const NativePlan& plan, device::Device& device,
                                         comm::Transport& transport, device::View<Point> input,
                                         device::View<double> parts, device::View<Point> transposed)
    : input_(input),
      parts_(parts),
      transposed_(transposed),
      column_ffts_(device.ffts().plan_column_ffts(plan.shape)),
      row_ffts_(device.ffts().plan_row_ffts(plan.shape)),
      exchange_(exchange_of_parts(plan.shape, transport, parts)),
      received_(parts_of<double>(*exchange_)) {}

void TransposedTransform::run(device::Stream& stream) {
    column_ffts_->run(input_, parts_, stream);
    exchange_->run(stream);
    row_ffts_->run(received_, transposed_, stream);
    exchange_->release(stream);
}

std::string TransposedTransform::description() const {
    return fmt::format("tiles by {}; sums by {}", column_ffts_->description(),
                       row_ffts_->description());
}

NaturalTransform::NaturalTransform(const NativePlan& plan, device::Device& device,
                                   comm::Transport& transport, device::View<Point> input,
                                   NativeBuffers& buffers)
    : transposed_(plan, device, transport, input, buffers.parts.view(), buffers.bins.view()),
      natural_(buffers.result.view()),
      transpose_(device.ffts().plan_transpose(plan.shape)),
      exchange_(
          exchange_of_bins(plan.shape, transport, device::View<const Point>(transposed_.result()))),
      received_(parts_of<Point>(*exchange_)) {}

void NaturalTransform::run(device::Stream& stream) {
    transposed_.run(stream);
    exchange_->run(stream);
    transpose_->run(received_, natural_, stream);
    exchange_->release(stream);
}

/// The transform that a plan asks for. `input` holds this rank's tiles, one after another; device,
/// transport, input and buffers outlive it. Collective.
std::unique_ptr<NativeTransform> make_native_transform(const NativePlan& plan,
                                                       device::Device& device,
                                                       comm::Transport& transport,
                                                       device::View<Point> input,
                                                       NativeBuffers& buffers) {
    switch (plan.algorithm) {
        case Algorithm::single_rank:
            return std::make_unique<SingleRankTransform>(plan, device, input,
                                                         buffers.result.view());
        case Algorithm::single_rank_in_place:
            return std::make_unique<InPlaceTransform>(plan, device, input);
        case Algorithm::transposed:
            return std::make_unique<TransposedTransform>(
                plan, device, transport, input, buffers.parts.view(), buffers.result.view());
        case Algorithm::natural:
            return std::make_unique<NaturalTransform>(plan, device, transport, input, buffers);
        case Algorithm::library:
            return std::make_unique<LibraryTransform>(plan, device, input, buffers.result.view());
    }
    fail("no such algorithm");
}

/// The native formulation: input, one of the native transforms, check and limit.
class NativeCase final : public TransformCase {
  public:
    /// Collective. Throws Unavailable; Failure where files are not what the manifest says.
    NativeCase(bench::Session& session, const NativePlan& plan);

    void prepare() override { tiles_->prepare(); }
    void run(bench::Clocks& clocks) override;
    bench::Check verify() override {
        return guard_.judge(check_.verify(pieces_of(result())), session_.world());
    }
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override;
    void finish() override;

    [[nodiscard]] device::View<Point> result() override { return transform_->result(); }

  private:
    /// How the CPU sees an array that may be a GPU's.
    [[nodiscard]] ReadPieces pieces_of(device::View<const Point> array);

    bench::Session& session_;
    NativePlan plan_;
    comm::Transport& transport_;
    bench::Arena arena_;
    device::Buffer<Point> input_;
    std::unique_ptr<InputTiles> tiles_;
    bench::InputGuard guard_;  ///< of tiles that are made once
    TransformCheck check_;
    std::optional<NativeBuffers> buffers_;  ///< made after all that may fail on one rank
    std::unique_ptr<NativeTransform> transform_;
    std::optional<TransformLimit> limit_;
};

comm::Transport& usable_transport(bench::Session& session, const NativePlan& plan) {
    bench::require_formulation(session, bench::Formulation::native);
    return session.transport(plan.transport);
}

NativeCase::NativeCase(bench::Session& session, const NativePlan& plan)
    : session_(session),
      plan_(plan),
      transport_(usable_transport(session, plan)),
      arena_(session.device(), transport_),
      input_(arena_.make<Point>(plan.shape.input_points())),
      tiles_(make_input_tiles(session, plan, input_.view(),
                              plan.in_place() ? InputUse::overwritten : InputUse::kept)),
      guard_(session.threads()),
      check_(plan.problem.points, session.options().seed,
             plan.problem.input_order(plan.shape.ranks, plan.shape.rank),
             plan.problem.output_order(plan.shape.ranks, plan.shape.rank), session.threads(),
             session.world()) {
    if (session.options().verify == bench::Switch::on) {
        if (!plan.data.in_files() && !plan.in_place()) {
            guard_.remember(device::View<const Point>(input_.view()));
        }
        check_.expect(pieces_of(input_.view()));
    }
    buffers_.emplace(arena_, plan);
    transform_ =
        make_native_transform(plan, session.device(), transport_, input_.view(), *buffers_);
}

ReadPieces NativeCase::pieces_of(device::View<const Point> array) {
    return [this, array](const UsePiece& use) {
        device::HostAccess(session_.device(), session_.stream()).read(array, use);
    };
}

void NativeCase::run(bench::Clocks&) {
    tiles_->load();
    transform_->run(session_.stream());
}

void NativeCase::prepare_limit() {
    device::View<const Point> source = input_.view();
    device::View<Point> target = result();
    if (plan_.in_place()) {  // one half to the other
        const std::int64_t half = source.size() / 2;
        source = source.part(0, half);
        target = target.part(half, half);
    }
    limit_.emplace(session_, transport_, plan_.problem, source, target);
}

std::string NativeCase::note() const {
    const std::string transport = transport_.description();
    const std::string text = transform_->description();
    return transport.empty() ? text : text + "; " + transport;
}

void NativeCase::finish() {
    if (plan_.data.keep == bench::Switch::off) {
        return;
    }
    std::vector<Point> bins;
    bins.reserve(static_cast<std::size_t>(result().size()));
    pieces_of(result())([&](std::int64_t, std::span<const Point> piece) {
        bins.insert(bins.end(), piece.begin(), piece.end());
    });
    keep_result(plan_.data, plan_.problem, bins, result_layout(plan_.problem, std::ssize(bins)),
                session_);
}

}  // namespace

bench::Arena memory_of(bench::Session& session, const NativePlan& plan) {
    const device::MemoryKind kind = session.device().memory_kind();
    device::FftFactory& ffts = session.device().ffts();
    bench::Arena arena;
    const auto input = arena.make<Point>(plan.shape.input_points());
    const NativeBuffers buffers(arena, plan);
    if (plan.has_four_steps()) {
        arena.count(ffts.four_step_fft_memory(plan.shape), bench::Room::device);
        if (plan.shape.ranks > 1) {
            arena.count(
                bench::operation_memory(session, plan.transport).exchange(received_bytes(plan)),
                bench::Room::device);
        }
        TransformLimit::count(arena, plan.problem, plan.shape.ranks);
    } else {
        arena.count(ffts.single_rank_fft_memory(plan.shape).value(), bench::Room::device);
    }
    if (plan.data.in_files()) {
        TileLoader::staging(arena, plan.shape.length, kind);
    }
    arena.count(TransformCheck::memory(plan.problem.points, session.threads()), bench::Room::host);
    const Bytes largest = bytes_of<Point>(std::max(input.size(), buffers.result.size()));
    arena.count(device::HostAccess::memory(largest, kind), bench::Room::host);
    return arena;
}

NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data) {
    NativePlan plan;
    plan.transport = transport;
    plan.problem = problem;
    plan.data = data;
    plan.shape = problem.shape(session.world().size(), session.world().rank());
    if (const auto workspace = session.device().ffts().single_rank_fft_memory(plan.shape)) {
        plan.algorithm = single_rank_algorithm(session, plan.shape, *workspace);
    } else {
        // On one rank the transposed bins are in natural order.
        const bool natural = problem.order == ResultOrder::natural && plan.shape.ranks > 1;
        plan.algorithm = natural ? Algorithm::natural : Algorithm::transposed;
    }
    return plan;
}

NativePlan plan_device_library(bench::Session& session, const std::string& transport,
                               const Problem& problem) {
    Problem whole = problem;
    whole.tiles = 1;
    NativePlan plan = plan_native(session, transport, whole, {});
    if (plan.algorithm == Algorithm::single_rank) {
        plan.algorithm = Algorithm::library;
    }
    return plan;
}

bool transforms_one_tile(bench::Session& session, const Problem& problem) {
    const device::FourStepFft shape{1, problem.points, session.world().size(),
                                    session.world().rank()};
    const auto workspace = session.device().ffts().single_rank_fft_memory(shape);
    return workspace && single_rank_algorithm(session, shape, *workspace) == Algorithm::single_rank;
}

std::unique_ptr<TransformCase> make_native_case(bench::Session& session, const NativePlan& plan) {
    return std::make_unique<NativeCase>(session, plan);
}

}  // namespace quartet::fft
