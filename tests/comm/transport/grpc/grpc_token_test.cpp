#include "comm/transport/grpc/grpc_token.hpp"

#include <gmock/gmock.h>

#include <set>

namespace quartet::comm {
namespace {

TEST(GrpcToken, IsDrawnAnewEachTime) {
    std::set<std::string> tokens;
    for (int count = 0; count < 100; ++count) {
        const std::string token = draw_token();
        EXPECT_EQ(token.size(), 64U);
        EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
        tokens.insert(token);
    }
    EXPECT_EQ(tokens.size(), 100U);
}

TEST(GrpcToken, IsTheSameInEachCharacterOrNot) {
    const std::string token = draw_token();
    EXPECT_TRUE(is_same_token(token, token.substr(0)));
    EXPECT_FALSE(is_same_token(token, ""));
    EXPECT_FALSE(is_same_token("", token));
    EXPECT_FALSE(is_same_token(token, token + "0"));
    EXPECT_FALSE(is_same_token(token, token.substr(1)));
    for (std::size_t index = 0; index < token.size(); ++index) {
        std::string other = token;
        other[index] = 'x';
        EXPECT_FALSE(is_same_token(token, other)) << index;
        EXPECT_FALSE(is_same_token(other, token)) << index;
    }
}

}  // namespace
}  // namespace quartet::comm
