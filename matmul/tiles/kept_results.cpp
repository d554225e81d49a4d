#include "matmul/tiles/kept_results.hpp"

#include <fmt/format.h>

#include <sstream>

#include "core/files/checksum.hpp"
#include "core/files/file.hpp"
#include "core/files/tiles.hpp"

namespace quartet::matmul {

void record_results(const std::filesystem::path& folder, const Block& block, RankTiles& tiles,
                    const comm::Communicator& world, const comm::Topology& topology) {
    std::string lines;
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            if (!tiles.owns({row, column})) {
                continue;
            }
            lines += fmt::format("{} {}\n", tile_file("C", row, column),
                                 checksum(std::as_bytes(tiles.result({row, column}))));
        }
    }
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
