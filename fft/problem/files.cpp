#include "fft/problem/files.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <memory>

#include "core/data_source.hpp"
#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

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

bench::TileFolder<Point> prepared_tiles(bench::Session& session, const Problem& problem,
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
    return folder;
}

TileFileReader::TileFileReader(const bench::TileFolder<Point>& tiles, const Problem& problem,
                               const Range& mine, const bench::DataOptions& data)
    : length_(problem.length()), cache_(data.cache), folder_(*data.folder) {
    for (std::int64_t tile = mine.begin; tile < mine.end; ++tile) {
        const std::string name = block_file("x", tile);
        read_npy(tiles.path_of(name), {length_}, std::span<Point>());  // all but the elements
        files_.push_back({name, Bytes{std::ssize(format_npy_header(ElementType::c16, {length_}))}});
    }
    if (cache_ == FileCache::direct) {
        staging_.resize(static_cast<std::size_t>((staging_size + Bytes{direct_alignment}).value));
        void* begin = staging_.data();
        std::size_t space = staging_.size();
        const auto size = static_cast<std::size_t>(staging_size.value);
        aligned_ = {static_cast<std::byte*>(std::align(direct_alignment, size, begin, space)),
                    size};
    }
}

void TileFileReader::prepare() const {
    if (cache_ == FileCache::drop) {
        for (const File& file : files_) {
            forget(FileName(folder_, file.name));
        }
    }
}

void TileFileReader::read(std::span<Point> points) {
    const auto length = static_cast<std::size_t>(length_);
    for (std::int64_t tile = 0; tile < tiles(); ++tile) {
        read_tile(tile, points.subspan(static_cast<std::size_t>(tile) * length, length));
    }
}

void TileFileReader::read_tile(std::int64_t tile, std::span<Point> points) {
    read_part(tile, 0, points);
}

void TileFileReader::read_part(std::int64_t tile, std::int64_t first, std::span<Point> points) {
    const File& file = files_[static_cast<std::size_t>(tile)];
    read_file(file, file.data_offset + bytes_of<Point>(first), std::as_writable_bytes(points));
}

void TileFileReader::read_file(const File& file, Bytes begin, std::span<std::byte> out) {
    const FileName name(folder_, file.name);
    const InputFile input(name, cache_);
    if (input.size() != file.data_offset + bytes_of<Point>(length_)) {
        throw Failure(fmt::format(
            "{} is {} long now (it was another length when the run began): make it again with "
            "--generate",
            quotation(name.path().native()), to_string(input.size())));
    }
    if (cache_ == FileCache::direct) {
        read_aligned(input, begin, out);
    } else {
        static_cast<void>(input.read(begin, out));
    }
}

// Whole pages; what is wanted is copied out of them.
void TileFileReader::read_aligned(const InputFile& input, Bytes offset, std::span<std::byte> out) {
    const std::int64_t end = offset.value + std::ssize(out);
    const std::int64_t begin = offset.value / direct_alignment * direct_alignment;
    for (std::int64_t page = begin; page < end; page += staging_size.value) {
        const Bytes got = input.read({page}, aligned_);
        const std::int64_t first = std::max(page, offset.value);
        const std::int64_t last = std::min(page + got.value, end);
        if (first < last) {
            std::memcpy(out.data() + (first - offset.value), aligned_.data() + (first - page),
                        static_cast<std::size_t>(last - first));
        }
    }
}

ResultLayout result_layout(const Problem& problem, std::int64_t bins) {
    if (problem.order == ResultOrder::natural) {
        return {{bins}, "natural: X-r holds k of block r"};
    }
    return {{problem.tiles, bins / problem.tiles},
            "transposed: X-r holds [k2][k1 of block r], k = k1 + M k2"};
}

void keep_result(const bench::DataOptions& data, const Problem& problem,
                 std::span<const Point> bins, const ResultLayout& layout, bench::Session& session) {
    const comm::Communicator& world = session.world();
    const std::filesystem::path result = *data.folder / "result";
    make_folder(result);
    write_npy<Point>(result / block_file("X", world.rank()), layout.shape, bins);
    remove_later_blocks(result, "X", world.rank(), world.size());
    const auto sums = world.gather(checksum_text(std::as_bytes(bins)));
    if (session.is_root()) {
        Manifest manifest = manifest_of(problem, session.options().seed, layout.order);
        for (int rank = 0; rank < world.size(); ++rank) {
            manifest.checksums[block_file("X", rank)] = sums[static_cast<std::size_t>(rank)];
        }
        write_manifest(result, manifest);
    }
    world.barrier();
}

TileLoader::TileLoader(bench::Session& session, const Problem& problem, const Range& mine,
                       const bench::DataOptions& data)
    : session_(session),
      reader_(tile_folder(problem, session.options().seed, data), problem, mine, data),
      reading_(session.device().make_stream("reading", device::StreamKind::transfer)) {
    bench::Arena arena(session.device());
    staging_ = staging(arena, problem.length(), session.device().memory_kind());
    const std::int64_t length = staging_.size() / slots;
    for (std::int64_t number = 0; number < slots; ++number) {
        slot(number) = {staging_.view().part(number * length, length),
                        session.device().make_event(), session.device().make_event()};
    }
}

device::Buffer<Point> TileLoader::staging(bench::Arena& arena, std::int64_t length,
                                          device::MemoryKind kind) {
    return arena.make<Point>(kind == device::MemoryKind::device ? slots * length : 0,
                             bench::Room::host);
}

void TileLoader::begin(std::int64_t number, std::int64_t tile, device::View<Point> place) {
    Slot& mine = slot(number);
    const auto target = mine.points.size() > 0 ? mine.points : place;
    reading_->wait(*mine.copied);
    reading_->enqueue(Phase::read, "tile",
                      [this, tile, target] { reader_.read_tile(tile, target.span()); });
    reading_->record(*mine.read);
}

void TileLoader::bring(std::int64_t number, device::View<Point> place) {
    Slot& mine = slot(number);
    device::Stream& stream = session_.stream();
    stream.wait(*mine.read);
    if (mine.points.size() > 0) {
        session_.device().copy(device::as_bytes(device::View<const Point>(mine.points)),
                               device::as_bytes(place), stream);
        stream.record(*mine.copied);
    }
}

BlockReader::BlockReader(const bench::TileFolder<Point>& tiles, const Problem& problem,
                         const Range& block, const bench::DataOptions& data)
    : tiles_(problem.tiles),
      block_(block),
      reader_(tiles, problem, {0, problem.tiles}, data),
      staging_(static_cast<std::size_t>(staged_points(problem, block.size()))) {}

std::int64_t BlockReader::staged_points(const Problem& problem, std::int64_t block) {
    return block / problem.tiles + 1;
}

void BlockReader::read(std::span<Point> points) {
    for (std::int64_t tile = 0; tile < tiles_; ++tile) {
        // Points n = tile + T m of the block have m from the first on that is not below it.
        const std::int64_t first = (block_.begin - tile + tiles_ - 1) / tiles_;
        const std::int64_t begin = tile + tiles_ * first - block_.begin;
        if (begin >= block_.size()) {
            continue;
        }
        const std::int64_t count = (block_.size() - begin + tiles_ - 1) / tiles_;
        const auto part = std::span(staging_).first(static_cast<std::size_t>(count));
        reader_.read_part(tile, first, part);
        for (std::int64_t index = 0; index < count; ++index) {
            points[static_cast<std::size_t>(begin + tiles_ * index)] =
                part[static_cast<std::size_t>(index)];
        }
    }
}

}  // namespace quartet::fft
