#include "matmul/tiles/recorded_tiles.hpp"

#include <fmt/format.h>

#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

namespace quartet::matmul {

RecordedTiles::RecordedTiles(std::filesystem::path folder, RankTiles& tiles)
    : folder_(std::move(folder)), tiles_(tiles) {
    if (is_there(folder_ / "manifest.json")) {
        checksums_ = read_manifest(folder_).checksums;
    }
}

std::span<const float> RecordedTiles::input(Operand operand, TileIndex tile) {
    const auto elements = tiles_.input(operand, tile);
    const std::string file = tile_file(name(operand), tile.row, tile.column);
    const auto recorded = checksums_.find(file);
    if (recorded != checksums_.end() && checksum(std::as_bytes(elements)) != recorded->second) {
        throw Failure(fmt::format(
            "{} was not read as the manifest says (its checksum differs): run again; if it differs "
            "again, make it again",
            quotation((folder_ / file).native())));
    }
    return elements;
}

}  // namespace quartet::matmul
