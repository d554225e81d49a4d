#include "fft/native/input_tiles.hpp"

#include "device/accelerator.hpp"
#include "fft/problem/tile_loader.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

namespace {

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

}  // namespace

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

}  // namespace quartet::fft
