#include "device/contract/host_parameter.hpp"

namespace quartet::device {

namespace {

const auto devices = ::testing::ValuesIn(hosts(3));

}  // namespace

INSTANTIATE_TEST_SUITE_P(Host, BlasContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, CopyContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, FftContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, HostAccessContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, MatrixContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, MemoryContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, RecordingContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, FourStepFftContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, StreamContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Host, VectorContract, devices, parameter_name);

}  // namespace quartet::device
