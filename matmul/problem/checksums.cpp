#include "matmul/problem/checksums.hpp"

#include <fmt/format.h>

#include <sstream>

#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

namespace quartet::matmul {

RecordedSums::RecordedSums(std::filesystem::path folder) : folder_(std::move(folder)) {
    if (is_there(folder_ / "manifest.json")) {
        sums_ = read_manifest(folder_).checksums;
    }
}

void RecordedSums::compare(Operand operand, TileIndex tile, std::span<const float> elements) const {
    if (sums_.empty()) {
        return;
    }
    const std::string file = tile_file(name(operand), tile.row, tile.column);
    const auto recorded = sums_.find(file);
    if (recorded != sums_.end() && checksum(std::as_bytes(elements)) != recorded->second) {
        throw Failure(fmt::format(
            "{} was not read as the manifest says (its checksum differs): run again; if it differs "
            "again, make it again",
            quotation((folder_ / file).native())));
    }
}

void record_results(const std::filesystem::path& folder, const Block& block, Product& product,
                    const comm::Communicator& world, const comm::Topology& topology) {
    std::string lines;
    for_each_tile(block, [&](TileIndex tile) {
        if (product.owns(tile)) {
            lines += fmt::format("{} {}\n", tile_file("C", tile.row, tile.column),
                                 checksum(std::as_bytes(product.result(tile))));
        }
    });
    const auto of_all = world.gather(lines);
    // One after another: several nodes may see one folder.
    for (int node = 0; node < topology.nodes(); ++node) {
        if (topology.mine().node == node && topology.mine().local_rank == 0 &&
            is_there(folder / "manifest.json")) {
            Manifest manifest = read_manifest(folder);
            for (const std::string& text : of_all) {
                std::istringstream words(text);
                std::string file;
                for (std::uint64_t sum = 0; words >> file >> sum;) {
                    manifest.checksums[file] = sum;
                }
            }
            write_manifest(folder, manifest);
        }
        world.barrier();
    }
}

}  // namespace quartet::matmul
