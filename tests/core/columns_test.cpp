#include "core/columns.hpp"

#include <gtest/gtest.h>

namespace quartet {
namespace {

TEST(ColumnsTest, WhatFitsStaysAsItIs) {
    const std::string full(most_columns, 'x');
    EXPECT_EQ(within_columns("a  b\n\n  c\n" + full + "\n", 4), "a  b\n\n  c\n" + full + "\n");
}

TEST(ColumnsTest, ALongLineGoesOnIndented) {
    const std::string word(38, 'x');
    EXPECT_EQ(within_columns("  " + word + "  " + word + " y z\nend\n", 6),
              "  " + word + "  " + word + "\n      y z\nend\n");
}

TEST(ColumnsTest, ALongWordStaysWholeAndAlone) {
    const std::string name(100, 'x');
    EXPECT_EQ(within_columns("  " + name + "  258 MiB\n", 6), "  " + name + "\n      258 MiB\n");
}

}  // namespace
}  // namespace quartet
