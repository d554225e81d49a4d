#include "device/contract/contract.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/info/cuda_accelerator.hpp"

namespace quartet::device {

namespace {

const auto devices = ::testing::Values(DeviceParameter{
    "cuda", Execution::later, [](Trace& trace) { return make_cuda_device({}, trace); },
    [] { return why_no_cuda(); }});

}  // namespace

INSTANTIATE_TEST_SUITE_P(Cuda, BlasContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, CopyContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, FftContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, HostAccessContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, MatrixContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, MemoryContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, RecordingContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, FourStepFftContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, StreamContract, devices, parameter_name);
INSTANTIATE_TEST_SUITE_P(Cuda, VectorContract, devices, parameter_name);

}  // namespace quartet::device
