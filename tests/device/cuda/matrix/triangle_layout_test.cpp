#include "device/cuda/matrix/triangle_layout.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

/// Expects panels one after another, their tiles counted, and every tile in one block.
void expect_covered(const TriangleLayout& layout) {
    std::int64_t next = 0;
    std::int64_t tiles = 0;
    for (const TrianglePanel& panel : layout.panels) {
        EXPECT_EQ(panel.offset, next);
        EXPECT_EQ(panel.first_tile, tiles);
        EXPECT_EQ(panel.stride % triangle_tile, 0);
        EXPECT_GE(panel.first_row + panel.stride, layout.size);
        EXPECT_LT(panel.first_row + panel.stride, layout.size + triangle_tile);
        next += triangle_tile * panel.stride;
        tiles += panel.stride / triangle_tile;
    }
    EXPECT_EQ(layout.elements, next);
    EXPECT_EQ(layout.tiles, tiles);
    for (std::int64_t block = 0; block < layout.block_count(); ++block) {
        const TriangleBlock begin = layout.blocks[static_cast<std::size_t>(block)];
        const std::int64_t end = layout.blocks[static_cast<std::size_t>(block + 1)].first_tile;
        const auto panel = static_cast<std::size_t>(begin.panel);
        EXPECT_GE(begin.first_tile, layout.panels[panel].first_tile);
        EXPECT_LT(begin.first_tile, layout.panels[panel + 1].first_tile);
        EXPECT_GT(end, begin.first_tile);
        for (std::int64_t tile = begin.first_tile; tile < end; ++tile)
            EXPECT_EQ(block_of_tile(tile, layout.tiles, layout.block_count()), block);
    }
}

TEST(TriangleLayoutTest, TilesCoverThePanelsOfEveryPart) {
    for (const std::int64_t size : {0, 1, 127, 128, 129, 1023, 1025, 5000}) {
        std::int64_t panels = 0;
        for (int part = 0; part < 3; ++part) {
            const TriangleLayout layout({size, 3, part}, 50);
            expect_covered(layout);
            panels += layout.panel_count();
        }
        EXPECT_EQ(panels, divide_up(size, triangle_tile)) << size;
    }
}

}  // namespace
}  // namespace quartet::device
