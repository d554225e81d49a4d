#include "device/cuda/matrix/triangle_layout.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

/// Expects every element of the part's panels in one tile, of which each has its own memory.
void expect_covered(const TriangleLayout& layout) {
    std::int64_t next = 0;
    for (const TrianglePanel& panel : layout.panels) {
        EXPECT_EQ(panel.offset, next);
        EXPECT_EQ(panel.stride % 2, 0) << "rows begin on 16 bytes";
        EXPECT_GE(panel.first_row + panel.stride, layout.size);
        next += triangle_panel_rows * panel.stride;
    }
    EXPECT_EQ(layout.elements, next);
    for (std::size_t row = 0; row < layout.tile_rows.size(); ++row) {
        const TileRow& tiles = layout.tile_rows[row];
        const auto first_panel = static_cast<std::int64_t>(row) * tile_panels;
        for (std::int64_t chunk = tiles.first_chunk; chunk * tile_columns < layout.size; ++chunk) {
            const TriangleTile& tile =
                layout
                    .tiles[static_cast<std::size_t>(tiles.first_tile + chunk - tiles.first_chunk)];
            EXPECT_EQ(tile.chunk, chunk);
            EXPECT_EQ(tile.first_panel, first_panel);
        }
        for (std::size_t chunk = 0; chunk < layout.tile_rows_of_chunk.size(); ++chunk)
            EXPECT_EQ(static_cast<std::int64_t>(row) < layout.tile_rows_of_chunk[chunk],
                      static_cast<std::int64_t>(chunk) >= tiles.first_chunk);
        const TrianglePanel& first = layout.panels[static_cast<std::size_t>(first_panel)];
        EXPECT_GE(first.first_row, tiles.first_chunk * tile_columns);
    }
}

TEST(TriangleLayoutTest, TilesCoverThePanelsOfEveryPart) {
    for (const std::int64_t size : {0, 1, 15, 16, 17, 128, 129, 1023, 1025, 5000}) {
        std::int64_t panels = 0;
        for (int part = 0; part < 3; ++part) {
            const TriangleLayout layout({size, 3, part});
            expect_covered(layout);
            panels += static_cast<std::int64_t>(layout.panels.size());
        }
        EXPECT_EQ(panels, TrianglePanels{size}.count()) << size;
    }
}

TEST(TriangleLayoutTest, TilesLeaveLittleBehind) {
    const TriangleLayout layout({1 << 16, 1, 0});

    EXPECT_LT(static_cast<double>(layout.sums()), 0.01 * static_cast<double>(layout.elements));
}

TEST(TriangleLayoutTest, RefusesPartsThatAreNone) {
    EXPECT_THROW(TriangleLayout({10, 2, 2}), Failure);
    EXPECT_THROW(TriangleLayout({-1, 1, 0}), Failure);
}

}  // namespace
}  // namespace quartet::device
