#include "device/contract/host_parameter.hpp"

namespace quartet::device {

std::vector<DeviceParameter> contract_devices() {
    return hosts(1);
}

}  // namespace quartet::device
