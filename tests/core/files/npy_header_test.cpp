#include "core/files/npy_header.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "core/npy_builder.hpp"

namespace quartet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::optional<NpyProblem> problem_of(std::string_view text) {
    return problem_in([&] { parse_npy_header(text, "x.npy"); });
}

Shape shape_of(const std::string& shape) {
    return parse_npy_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}",
                            "x.npy")
        .shape;
}

std::optional<NpyProblem> problem_of_shape(const std::string& shape) {
    return problem_in([&] { shape_of(shape); });
}

std::optional<NpyProblem> problem_of_descr(const std::string& descr) {
    return problem_of("{'descr': " + descr + ", 'fortran_order': False, 'shape': (3,), }");
}

TEST(NpyHeader, IsReadWithAnyOrderOfKeysAndAnySpaces) {
    for (const std::string_view text : {
             "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n",
             "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}",
             "{'shape': (3, 4), 'fortran_order': False, 'descr': '<f8', }\n",
             "{'fortran_order':False,'shape':(3,4),'descr':'<f8'}\n",
             "  { 'shape' : ( 3 , 4 , ) , 'descr' : '<f8' , 'fortran_order' : False , } \t\n",
             R"({"descr": "<f8", "fortran_order": False, "shape": (3, 4)})",
         }) {
        const NpyHeader header = parse_npy_header(text, "x.npy");
        EXPECT_EQ(header.type, ElementType::f8) << text;
        EXPECT_THAT(header.shape, ElementsAre(3, 4)) << text;
    }
}

TEST(NpyHeader, HasAShapeOfAnyDimension) {
    EXPECT_THAT(shape_of("()"), IsEmpty());
    EXPECT_THAT(shape_of("(5,)"), ElementsAre(5));
    EXPECT_THAT(shape_of("(2, 3, 4)"), ElementsAre(2, 3, 4));
    EXPECT_THAT(shape_of("(0, 9223372036854775807, 2)"), ElementsAre(0, largest, 2));
}

TEST(NpyHeader, IsRefusedWhereMalformed) {
    for (const std::string_view text : {
             "",
             "\n",
             "{",
             "{}",
             "[]",
             "None",
             "{'descr': '<f4', 'fortran_order': False}",
             "{'descr': '<f4', 'shape': (3,)}",
             "{'fortran_order': False, 'shape': (3,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), ",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} more",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}{}",
             "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
             "{'descr' '<f4', 'fortran_order': False, 'shape': (3,)}",
             "{'descr': '<f4', , 'fortran_order': False, 'shape': (3,)}",
             "{, 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}",
             "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
             "{'descr': '<f4', 'fortran_order': Falsely, 'shape': (3,)}",
             "{'descr': <f4, 'fortran_order': False, 'shape': (3,)}",
             "{'descr\": '<f4', 'fortran_order': False, 'shape': (3,)}",
             "{descr: '<f4', 'fortran_order': False, 'shape': (3,)}",
             "'",
             "{'",
         }) {
        EXPECT_EQ(problem_of(text), NpyProblem::malformed_header) << text;
    }
    const std::string_view with_nul("{'descr': '<f4',\0 'fortran_order': False, 'shape': (3,)}",
                                    55);
    EXPECT_EQ(problem_of(with_nul), NpyProblem::malformed_header);
}

TEST(NpyHeader, IsRefusedWhereItsShapeIsNoTuple) {
    for (const char* shape : {"3", "(3)", "[3]", "(,)", "(3,,)", "(3 4)", "(3.0,)", "(x,)", "(3L,)",
                              "(+3,)", "(0x3,)", "('3',)", "(", "(3,", "((3,),)", "(- 3,)"}) {
        EXPECT_EQ(problem_of_shape(shape), NpyProblem::malformed_header) << shape;
    }
}

TEST(NpyHeader, IsRefusedForAShapeThatCannotBe) {
    for (const char* shape :
         {"(-1,)", "(3, -4)", "(-3, -4)", "(0, -1)", "(9223372036854775808,)",
          "(-9223372036854775809,)", "(99999999999999999999999999,)", "(9223372036854775807,)",
          "(4294967296, 4294967296)", "(2305843009213693952,)", "(3037000500, 3037000500)"}) {
        EXPECT_EQ(problem_of_shape(shape), NpyProblem::wrong_shape) << shape;
    }
    EXPECT_THAT(shape_of("(2305843009213693951,)"), ElementsAre(2305843009213693951));
}

TEST(NpyHeader, IsRefusedForAnotherDtype) {
    for (const char* descr : {"'>f4'", "'<i4'", "'<f2'", "'=f4'", "'f4'", "'|u1'", "'<c8'", "''",
                              "'<f44'", "[('a', '<f4')]"}) {
        EXPECT_EQ(problem_of_descr(descr), NpyProblem::wrong_dtype) << descr;
    }
}

TEST(NpyHeader, IsRefusedInFortranOrder) {
    EXPECT_EQ(problem_of("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }"),
              NpyProblem::fortran_order);
}

TEST(NpyHeader, IsWrittenAsNumPyDoes) {
    const std::string header = format_npy_header(ElementType::f4, {3, 4});
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_EQ(header.substr(0, 10), npy_prelude('\x01', 2, header.size() - 10));
    EXPECT_EQ(header.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
}

// Every length of text about the multiples of 64 and about the limit of version 1.0.
TEST(NpyHeader, IsReadAsWrittenWhateverItsLength) {
    const auto expect_round_trip = [](const Shape& shape) {
        const std::string header = format_npy_header(ElementType::c16, shape);
        const std::size_t prelude = header[6] == '\x01' ? 10 : 12;
        EXPECT_EQ(header.size() % 64, 0U);
        EXPECT_EQ(parse_npy_header(std::string_view(header).substr(prelude), "x").shape, shape);
    };
    for (std::size_t dimensions = 0; dimensions < 130; ++dimensions) {
        expect_round_trip(Shape(dimensions, 1));
    }
    for (std::size_t dimensions = 21780; dimensions < 21860; ++dimensions) {
        expect_round_trip(Shape(dimensions, 1));
    }
    EXPECT_EQ(format_npy_header(ElementType::f4, Shape(21780, 1))[6], '\x01');
    EXPECT_EQ(format_npy_header(ElementType::f4, Shape(21860, 1))[6], '\x02');
}

TEST(Shape, IsPrintedAsPythonDoes) {
    EXPECT_EQ(to_string(Shape{}), "()");
    EXPECT_EQ(to_string(Shape{3}), "(3,)");
    EXPECT_EQ(to_string(Shape{3, 4}), "(3, 4)");
}

}  // namespace
}  // namespace quartet
