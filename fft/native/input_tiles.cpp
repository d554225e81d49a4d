#include "fft/native/input_tiles.hpp"

#include <array>
#include <utility>

#include "device/host_access.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t staging_slots = 2;

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
    const auto fill_piece = [&](std::int64_t first, std::span<Point> points) {
        system::parallel_parts(session_.threads(), [&](int thread) {
            const Range mine = block_range(std::ssize(points), session_.threads(), thread);
            fill_tiles(points.subspan(static_cast<std::size_t>(mine.begin),
                                      static_cast<std::size_t>(mine.size())),
                       session_.options().seed, problem_, first_ + first + mine.begin);
        });
    };
    device::HostAccess(session_.device(), session_.stream()).write(input_, fill_piece);
}

/// This rank's files.
TileFileReader tile_files(bench::Session& session, const NativePlan& plan) {
    const auto folder = tile_folder(plan.problem, session.options().seed, *plan.data.folder);
    if (plan.data.generate == bench::Switch::on) {
        generate_tiles(folder, plan.problem, session);
    }
    folder.verify(session.world(), session.topology());
    return {folder, plan.problem, plan.shape.my_tiles(), plan.data};
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

/// Tiles that go from files to a GPU through two page-locked slots, so that a tile is read while
/// the one before is copied.
class StagedFileTiles final : public InputTiles {
  public:
    StagedFileTiles(bench::Session& session, const NativePlan& plan, device::View<Point> input);

    void prepare() override { reader_.prepare(); }
    void load() override;

  private:
    struct Slot {
        device::View<Point> points;
        std::unique_ptr<device::Event> read;
        std::unique_ptr<device::Event> copied;
    };

    bench::Session& session_;
    TileFileReader reader_;
    device::View<Point> input_;
    std::unique_ptr<device::Stream> reading_;
    device::Buffer<Point> staging_;
    std::array<Slot, staging_slots> slots_;
};

StagedFileTiles::StagedFileTiles(bench::Session& session, const NativePlan& plan,
                                 device::View<Point> input)
    : session_(session),
      reader_(tile_files(session, plan)),
      input_(input),
      reading_(session.device().make_stream("reading", device::StreamKind::transfer)),
      staging_(allocate(plan.staging, session.device())) {
    const std::int64_t length = plan.shape.length;
    for (std::size_t number = 0; number < slots_.size(); ++number) {
        slots_[number] = {staging_.view().part(static_cast<std::int64_t>(number) * length, length),
                          session.device().make_event(), session.device().make_event()};
    }
    load();
}

void StagedFileTiles::load() {
    device::Stream& stream = session_.stream();
    for (std::int64_t tile = 0; tile < reader_.tiles(); ++tile) {
        Slot& slot = slots_[static_cast<std::size_t>(tile) % slots_.size()];
        reading_->wait(*slot.copied);
        reading_->enqueue(Phase::read, "tile",
                          [this, tile, to = slot.points] { reader_.read_tile(tile, to.span()); });
        reading_->record(*slot.read);
        stream.wait(*slot.read);
        session_.device().copy(
            device::as_bytes(device::View<const Point>(slot.points)),
            device::as_bytes(input_.part(tile * reader_.length(), reader_.length())), stream);
        stream.record(*slot.copied);
    }
    // Waiting for its events does not tell whether a file could be read.
    reading_->synchronize();
}

}  // namespace

std::unique_ptr<InputTiles> make_input_tiles(bench::Session& session, const NativePlan& plan,
                                             device::View<Point> input, InputUse use) {
    if (!plan.data.in_files()) {
        return std::make_unique<GeneratedTiles>(session, plan, input, use);
    }
    if (input.kind() == device::MemoryKind::device) {
        return std::make_unique<StagedFileTiles>(session, plan, input);
    }
    return std::make_unique<FileTiles>(session, plan, input);
}

std::int64_t staged_points(std::int64_t length, device::MemoryKind kind) {
    return kind == device::MemoryKind::device ? staging_slots * length : 0;
}

}  // namespace quartet::fft
