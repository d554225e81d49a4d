#include "system/processor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "system/system_text.hpp"

namespace quartet::system {

namespace {

struct ArmPart {
    std::string_view implementer;
    std::string_view part;
    std::string_view name;
};

// The main identification register's numbers, as lscpu of util-linux names them.
constexpr std::array arm_parts{
    ArmPart{"0x41", "0xd08", "Arm Cortex-A72"},        ArmPart{"0x41", "0xd0b", "Arm Cortex-A76"},
    ArmPart{"0x41", "0xd0c", "Arm Neoverse N1"},       ArmPart{"0x41", "0xd40", "Arm Neoverse V1"},
    ArmPart{"0x41", "0xd49", "Arm Neoverse N2"},       ArmPart{"0x41", "0xd4f", "Arm Neoverse V2"},
    ArmPart{"0x41", "0xd84", "Arm Neoverse V3"},       ArmPart{"0x41", "0xd8e", "Arm Neoverse N3"},
    ArmPart{"0x43", "0x0af", "Marvell ThunderX2"},     ArmPart{"0x46", "0x001", "Fujitsu A64FX"},
    ArmPart{"0x48", "0xd01", "HiSilicon Kunpeng 920"}, ArmPart{"0xc0", "0xac3", "AmpereOne"}};

}  // namespace

std::string processor_name(std::string_view cpuinfo) {
    if (std::string name = value_of(cpuinfo, "model name", ':'); !name.empty()) {
        return name;
    }
    const std::string implementer = value_of(cpuinfo, "CPU implementer", ':');
    const std::string part = value_of(cpuinfo, "CPU part", ':');
    if (implementer.empty() || part.empty()) {
        return "processor of unknown model";
    }
    const auto known = std::ranges::find_if(arm_parts, [&](const ArmPart& candidate) {
        return candidate.implementer == implementer && candidate.part == part;
    });
    return known != arm_parts.end()
               ? std::string(known->name)
               : fmt::format("Arm processor (implementer {}, part {})", implementer, part);
}

}  // namespace quartet::system
