#include "comm/transport/grpc/grpc_calls.hpp"

#include <gmock/gmock.h>

namespace quartet::comm {
namespace {

TEST(GrpcAddress, OneOfThisHostIsHeard) {
    for (const auto* address : {"127.0.0.1", "127.0.0.2", "localhost"}) {
        EXPECT_EQ(why_not_heard_on(address), std::nullopt) << address;
    }
}

TEST(GrpcAddress, WhatIsNoneIsRefusedWithTheReason) {
    for (const auto* address : {"", "192.0.2.1", "999.1.1.1", "127.0.0.1:99", "::1", "a\nb", "[",
                                "[]", "[127", "unix:/tmp/x", "no host of that name"}) {
        const auto reason = why_not_heard_on(address);
        EXPECT_TRUE(reason && !reason->empty()) << address;
    }
}

TEST(GrpcAddress, NoneThatStandsForAllNetworksIsTaken) {
    for (const auto* address : {"0.0.0.0", "0", "[::]"}) {
        EXPECT_THAT(why_not_heard_on(address).value_or(""), testing::HasSubstr("every network"))
            << address;
    }
}

}  // namespace
}  // namespace quartet::comm
