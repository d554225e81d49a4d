#include "fft/files.hpp"

#include <fmt/format.h>

#include <sstream>

#include "core/checksum.hpp"
#include "core/data_source.hpp"
#include "core/file.hpp"

namespace quartet::fft {

namespace {

Manifest manifest_of(const Problem& problem, std::uint64_t seed, std::string order) {
    Manifest manifest;
    manifest.kernel = "fft";
    manifest.seed = seed;
    manifest.shape = {problem.points};
    manifest.tile = problem.length();
    manifest.type = ElementType::c16;
    manifest.generator_version = DataSource::generator_version;
    manifest.order = std::move(order);
    return manifest;
}

}  // namespace

bench::TileFolder<Point> tile_folder(const Problem& problem, std::uint64_t seed,
                                     const std::filesystem::path& folder) {
    std::vector<bench::TileFile> files;
    for (std::int64_t tile = 0; tile < problem.tiles; ++tile) {
        files.push_back({block_file("x", tile), {problem.length()}});
    }
    return {folder, manifest_of(problem, seed, "x[t::T]"), std::move(files)};
}

void generate_tiles(const bench::TileFolder<Point>& folder, const Problem& problem,
                    bench::Session& session) {
    const std::uint64_t seed = session.options().seed;
    folder.generate(session.world(), session.topology(),
                    [&](const bench::TileFile& file, std::span<Point> points) {
                        const std::int64_t tile = &file - folder.files().data();
                        fill_points(points, seed, tile, problem.tiles);
                    });
}

TileReader::TileReader(const bench::TileFolder<Point>& folder, const Problem& problem,
                       const Range& tiles)
    : length_(problem.length()) {
    for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
        files_.push_back(folder.path_of(block_file("x", tile)));
    }
}

void TileReader::read(std::span<Point> points) const {
    const auto length = static_cast<std::size_t>(length_);
    for (std::size_t tile = 0; tile < files_.size(); ++tile) {
        read_npy<Point>(files_[tile], {length_}, points.subspan(tile * length, length));
    }
}

void keep_result(const std::filesystem::path& folder, const Problem& problem,
                 std::span<const Point> bins, bench::Session& session) {
    const comm::Communicator& world = session.world();
    const std::filesystem::path result = folder / "result";
    std::error_code error;
    std::filesystem::create_directories(result, error);
    if (error) {
        throw quartet::FileError("create", result, error.message());
    }
    const auto size = static_cast<std::int64_t>(bins.size());
    const Shape shape =
        problem.order == Order::natural ? Shape{size} : Shape{problem.tiles, size / problem.tiles};
    write_npy<Point>(result / block_file("X", world.rank()), shape, bins);
    const auto sums = world.gather(fmt::format("{}", checksum(std::as_bytes(bins))));
    if (session.is_root()) {
        const std::string order = problem.order == Order::natural
                                      ? "natural: X-r holds k of block r"
                                      : "transposed: X-r holds [k2][k1 of block r], k = k1 + M k2";
        Manifest manifest = manifest_of(problem, session.options().seed, order);
        for (int rank = 0; rank < world.size(); ++rank) {
            manifest.checksums[block_file("X", rank)] =
                std::stoull(sums[static_cast<std::size_t>(rank)]);
        }
        write_manifest(result, manifest);
    }
    world.barrier();
}

}  // namespace quartet::fft
