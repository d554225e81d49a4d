#include "cg/matrix_layout.hpp"

#include <algorithm>

namespace quartet::cg {

TriangleLayout::TriangleLayout(const TrianglePart& part, std::int64_t at_most) : size(part.size) {
    check(part.size >= 0 && part.parts >= 1 && part.part >= 0 && part.part < part.parts,
          "no such part of a triangle");
    const std::int64_t of_matrix = divide_up(size, triangle_tile);
    const SnakeDistribution dealing{part.parts};
    for (std::int64_t panel = 0; panel < of_matrix; ++panel) {
        panels_above.push_back(std::ssize(panels));
        if (dealing.owner(panel) != part.part)
            continue;
        const std::int64_t across = of_matrix - panel;
        panels.push_back({panel * triangle_tile, elements, across * triangle_tile, tiles});
        tiles += across;
        elements += across * triangle_tile * triangle_tile;
    }
    panels.push_back({of_matrix * triangle_tile, elements, 0, tiles});
    const std::int64_t count = std::min(tiles, at_most);
    std::int64_t panel = 0;
    for (std::int64_t block = 0; block < count; ++block) {
        const std::int64_t tile = tiles * block / count;
        while (panels[static_cast<std::size_t>(panel + 1)].first_tile <= tile)
            ++panel;
        blocks.push_back({tile, panel});
    }
    blocks.push_back({tiles, panel_count()});
}

}  // namespace quartet::cg
