#include "fft/tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/data_source.hpp"
#include "core/files/checksum.hpp"
#include "core/files/tiles.hpp"
#include "system/parallel_for.hpp"

namespace quartet::fft {

namespace {

constexpr Bytes staging_size = mebibytes(4);

Manifest manifest_of(const Problem& problem, std::uint64_t seed, std::string order) {
    Manifest manifest;
    manifest.kernel = "fft";
    manifest.seed = seed;
    manifest.shape = {problem.points};
    manifest.tile = problem.length();
    manifest.dtype = descriptor(ElementType::c16);
    manifest.generator_version = DataSource::generator_version;
    manifest.order = std::move(order);
    return manifest;
}

}  // namespace

bench::TileFolder<Point> tile_folder(const Problem& problem, std::uint64_t seed,
                                     const bench::DataOptions& data) {
    std::vector<bench::TileFile> files;
    for (std::int64_t tile = 0; tile < problem.tiles; ++tile) {
        files.push_back({block_file("x", tile), {problem.length()}});
    }
    return {*data.folder, manifest_of(problem, seed, "x[t::T]"), std::move(files)};
}

void prepare_tiles(bench::Session& session, const Problem& problem,
                   const bench::DataOptions& data) {
    const std::uint64_t seed = session.options().seed;
    const bench::TileFolder<Point> folder = tile_folder(problem, seed, data);
    if (data.generate == bench::Switch::on) {
        folder.generate(session.world(), session.topology(),
                        [&](const bench::TileFile& file, std::span<Point> points) {
                            const std::int64_t tile = &file - folder.files().data();
                            fill_points(points, seed, tile, problem.tiles);
                        });
    }
    folder.verify(session.world(), session.topology());
}

namespace {

// Makes the problem's tiles in memory of the session's device, from number `first` of their points
// on, as they follow one another. When this returns, they are there. Local.
void make_tiles(bench::Session& session, const Problem& problem, std::int64_t first,
                device::View<Point> points) {
    const std::uint64_t seed = session.options().seed;
    session.stream().synchronize();
    if (points.kind() == device::MemoryKind::device) {
        fill_tiles_on_gpu(points, seed, problem, first, session.stream());
        session.stream().synchronize();
        return;
    }
    const int threads = session.threads();
    system::parallel_parts(threads, [&](int thread) {
        const Range mine = block_range(points.size(), threads, thread);
        fill_tiles(points.part(mine.begin, mine.size()).span(), seed, problem, first + mine.begin);
    });
}

}  // namespace

TileReader::TileReader(device::Arena& arena, const Problem& problem, const Range& tiles,
                       const bench::DataOptions& data)
    : length_(problem.length()),
      cache_(data.cache),
      staging_(arena.make<std::byte>(
          cache_ == FileCache::direct ? staging_size.value + direct_alignment : 0,
          device::MemoryKind::host)) {
    if (arena.plans() || tiles.size() == 0) {
        return;
    }
    folder_.emplace(*data.folder);
    data_offset_ = Bytes{std::ssize(format_npy_header(ElementType::c16, {length_}))};
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
        files_.push_back(block_file("x", tile));
        const std::filesystem::path file = *data.folder / files_.back();
        read_npy(file, {length_}, std::span<Point>());  // all but the elements
    }
    if (cache_ == FileCache::direct) {
        const auto size = static_cast<std::size_t>(staging_size.value);
        void* begin = staging_.view().data();
        std::size_t space = staging_.span().size();
        aligned_ = {static_cast<std::byte*>(std::align(direct_alignment, size, begin, space)),
                    size};
    }
}

void TileReader::prepare() const {
    if (cache_ == FileCache::drop) {
        for (const std::string& file : files_) {
            forget(FileName(*folder_, file));
        }
    }
}

void TileReader::read(std::int64_t tile, std::int64_t first, std::span<Point> points) {
    const FileName name(*folder_, files_[static_cast<std::size_t>(tile)]);
    const InputFile input(name, cache_);
    if (input.size() != data_offset_ + bytes_of<Point>(length_)) {
        throw Failure(fmt::format(
            "{} is {} long now (it was another length when the run began): make it again with "
            "--generate",
            quotation(name.path().native()), to_string(input.size())));
    }
    const Bytes offset = data_offset_ + bytes_of<Point>(first);
    const std::span<std::byte> out = std::as_writable_bytes(points);
    if (cache_ != FileCache::direct) {
        static_cast<void>(input.read(offset, out));
        return;
    }
    // Reads whole pages, and copies the wanted bytes out of them.
    const std::int64_t end = offset.value + std::ssize(out);
    const std::int64_t first_page = offset.value / direct_alignment * direct_alignment;
    for (std::int64_t page = first_page; page < end; page += staging_size.value) {
        const Bytes got = input.read({page}, aligned_);
        const std::int64_t from = std::max(page, offset.value);
        const std::int64_t to = std::min(page + got.value, end);
        if (from < to) {
            std::memcpy(out.data() + (from - offset.value), aligned_.data() + (from - page),
                        static_cast<std::size_t>(to - from));
        }
    }
}

TileLoader::TileLoader(device::Arena& arena, bench::Session& session, const Problem& problem,
                       const Range& mine, const bench::DataOptions& data)
    : session_(session),
      problem_(problem),
      first_(mine.begin * problem.length()),
      reader_(arena, problem, data.in_files() ? mine : Range{}, data) {
    if (!data.in_files()) {
        return;
    }
    const std::int64_t length = device::has_own_memory(session.device()) ? problem.length() : 0;
    staging_ = arena.make<Point>(slots * length, device::MemoryKind::pinned);
    reading_ = session.device().make_stream("reading", device::StreamKind::transfer);
    for (std::int64_t number = 0; number < slots; ++number) {
        slot(number) = {staging_.view().part(number * length, length),
                        session.device().make_event(), session.device().make_event()};
    }
}

void TileLoader::load(device::View<Point> points) {
    if (!reading_) {
        make_tiles(session_, problem_, first_, points);
        return;
    }
    const std::int64_t length = problem_.length();
    for (std::int64_t tile = 0; tile < reader_.tiles(); ++tile) {
        const device::View<Point> place = points.part(tile * length, length);
        begin(tile, place);
        if (staging_.size() > 0) {
            bring(tile, place);
        }
    }
    finish();
}

void TileLoader::begin(std::int64_t tile, device::View<Point> place) {
    if (!reading_) {
        return;
    }
    Slot& mine = slot(tile);
    const auto target = mine.points.empty() ? place : mine.points;
    reading_->wait(*mine.copied);
    reading_->enqueue(Phase::read, "tile",
                      [this, tile, target] { reader_.read(tile, 0, target.span()); });
    reading_->record(*mine.read);
}

void TileLoader::bring(std::int64_t tile, device::View<Point> place) {
    if (!reading_) {
        return;
    }
    Slot& mine = slot(tile);
    device::Stream& stream = session_.stream();
    stream.wait(*mine.read);
    if (!mine.points.empty()) {
        session_.device().copy(device::as_bytes(device::View<const Point>(mine.points)),
                               device::as_bytes(place), stream);
        stream.record(*mine.copied);
    }
}

void TileLoader::finish() {
    if (reading_) {
        reading_->synchronize();
    }
}

ResultLayout result_layout(const Problem& problem, std::int64_t bins) {
    if (problem.order == ResultOrder::natural) {
        return {{bins}, "natural: X-r holds k of block r"};
    }
    return {{problem.tiles, bins / problem.tiles},
            "transposed: X-r holds [k2][k1 of block r], k = k1 + M k2"};
}

void keep_result(bench::Session& session, const bench::DataOptions& data, const Problem& problem,
                 const ReadPieces& result, const ResultLayout& layout) {
    std::vector<Point> bins;
    result([&](std::int64_t, std::span<const Point> piece) {
        bins.insert(bins.end(), piece.begin(), piece.end());
    });
    const comm::Communicator& world = session.world();
    const std::filesystem::path folder = *data.folder / "result";
    make_folder(folder);
    write_npy<Point>(folder / block_file("X", world.rank()), layout.shape, bins);
    remove_later_blocks(folder, "X", world.rank(), world.size());
    const auto sums = world.gather(checksum_text(std::as_bytes(std::span(bins))));
    if (session.is_root()) {
        Manifest manifest = manifest_of(problem, session.options().seed, layout.order);
        for (int rank = 0; rank < world.size(); ++rank) {
            manifest.checksums[block_file("X", rank)] = sums[static_cast<std::size_t>(rank)];
        }
        write_manifest(folder, manifest);
    }
    world.barrier();
}

}  // namespace quartet::fft
