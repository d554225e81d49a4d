#include "device/cuda/matrix/triangle_layout.hpp"

#include <algorithm>

namespace quartet::device {

TriangleLayout::TriangleLayout(const TrianglePart& part) : size(part.size) {
    check(part.size >= 0 && part.parts >= 1 && part.part >= 0 && part.part < part.parts,
          "no such part of a triangle");
    const TrianglePanels whole{part.size};
    const SnakeDistribution dealing{part.parts};
    panel_of.assign(static_cast<std::size_t>(whole.count()), -1);
    for (std::int64_t round = 0; round < dealing.count(part.part, whole.count()); ++round) {
        const std::int64_t panel = dealing.index(part.part, round);
        panel_of[static_cast<std::size_t>(panel)] = round;
        panels.push_back(
            {whole.first_row(panel), elements, whole.panel_elements(panel) / triangle_panel_rows});
        elements += whole.panel_elements(panel);
    }
    const std::int64_t chunks = divide_up(size, tile_columns);
    const auto count = static_cast<std::int64_t>(panels.size());
    for (std::int64_t first = 0; first < count; first += tile_panels) {
        const std::int64_t first_chunk =
            panels[static_cast<std::size_t>(first)].first_row / tile_columns;
        tile_rows.push_back({static_cast<std::int64_t>(tiles.size()), first_chunk});
        for (std::int64_t chunk = first_chunk; chunk < chunks; ++chunk)
            tiles.push_back({first, std::min(tile_panels, count - first), chunk});
    }
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
        tile_rows_of_chunk.push_back(std::ranges::count_if(
            tile_rows, [chunk](const TileRow& row) { return row.first_chunk <= chunk; }));
}

}  // namespace quartet::device
