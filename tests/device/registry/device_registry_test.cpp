#include "device/registry/device_registry.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"

namespace quartet::device {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> names(const std::vector<DeviceKind>& kinds) {
    std::vector<std::string> all;
    for (const DeviceKind& kind : kinds)
        all.push_back(kind.name);
    return all;
}

DeviceKind available(std::string name) {
    DeviceKind kind = absent_device(std::move(name), "");
    kind.why_not = [] { return std::nullopt; };
    return kind;
}

TEST(DeviceRegistryTest, MakesAcceleratorsOrSaysWhyNot) {
    const auto registry = DeviceRegistry::standard();
    for (const DeviceKind& kind : registry.accelerators()) {
        Trace trace;
        if (const auto reason = kind.why_not()) {
            EXPECT_THAT(kind.visible(), IsEmpty());
            EXPECT_EQ(message_of<Unavailable>([&] { kind.make({}, trace); }), *reason);
        } else {
            EXPECT_THAT(kind.visible(), Not(IsEmpty()));
            EXPECT_EQ(kind.make({}, trace)->name(), kind.name);
        }
    }
}

TEST(DeviceRegistryTest, HoldsKindsOfSeveralVendorsInTheirOrder) {
    auto registry = DeviceRegistry::standard();
    registry.add(absent_device("cuda", "no driver"));
    registry.add(absent_device("hip", "not built"));

    EXPECT_THAT(registry.choices(), ElementsAre("auto", "host", "cuda", "hip"));
    EXPECT_THAT(names(registry.accelerators()), ElementsAre("cuda", "hip"));
    EXPECT_EQ(registry.why_no_accelerator(), "no driver; not built");

    registry.add(available("hip"));
    EXPECT_EQ(registry.why_no_accelerator(), std::nullopt);
}

TEST(DeviceRegistryTest, RefusesUnknownKinds) {
    const auto registry = DeviceRegistry::standard();

    EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(registry.find("abacus")); }),
                HasSubstr("'abacus' is not one of auto|host|cuda"));
}

}  // namespace
}  // namespace quartet::device
