#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::device {

/// When a device's streams run what is enqueued.
enum class Execution { at_once, later };

/// One device, in one mode, that the contract suites run over.
struct DeviceParameter {
    std::string name;
    Execution execution;
    std::function<std::unique_ptr<Device>(Trace&)> make;
    /// Why it cannot be made here, or nothing: its tests are skipped then.
    std::function<std::optional<std::string>()> why_not = [] { return std::nullopt; };
};
inline std::ostream& operator<<(std::ostream& out, const DeviceParameter& parameter) {
    return out << parameter.name;
}

/// The devices that a test program runs the suites over: host_parameters.cpp, cuda_parameters.cpp.
std::vector<DeviceParameter> contract_devices();

/// A device, a stream, and the ways to bring data there and back.
class DeviceContract : public ::testing::TestWithParam<DeviceParameter> {
  protected:
    void SetUp() override {
        if (const auto reason = GetParam().why_not())
            GTEST_SKIP() << *reason;
        device = GetParam().make(trace);
        stream = device->make_stream("contract");
    }

    template <typename T>
    Buffer<T> empty(std::int64_t count) {
        return allocate<T>(*device, count);
    }

    /// A buffer on the device that holds `values`.
    template <typename T>
    Buffer<T> upload(const std::vector<T>& values) {
        const auto count = static_cast<std::int64_t>(values.size());
        Buffer<T> staging = allocate<T>(*device, count, MemoryKind::pinned);
        Buffer<T> buffer = empty<T>(count);
        std::copy(values.begin(), values.end(), staging.span().begin());
        device->copy(as_bytes(std::as_const(staging).view()), as_bytes(buffer.view()), *stream);
        stream->synchronize();
        return buffer;
    }

    /// What `view` holds once the stream's work is done.
    template <typename T>
    std::vector<std::remove_const_t<T>> download(const View<T>& view) {
        using Value = std::remove_const_t<T>;
        Buffer<Value> staging = allocate<Value>(*device, view.size(), MemoryKind::pinned);
        device->copy(as_bytes(View<const Value>(view)), as_bytes(staging.view()), *stream);
        stream->synchronize();
        const std::span<const Value> values = staging.span();
        return {values.begin(), values.end()};
    }

    /// Values in [-1, 1), the same ones for the same seed.
    template <typename T>
    static std::vector<T> random_values(std::int64_t count, unsigned seed) {
        std::mt19937_64 engine(seed);
        std::uniform_real_distribution<T> uniform(-1, 1);
        std::vector<T> values(static_cast<std::size_t>(count));
        for (T& value : values)
            value = uniform(engine);
        return values;
    }

    Trace trace{1024};
    std::unique_ptr<Device> device;
    std::unique_ptr<Stream> stream;
};

/// The suites, each in a file of its own.
class BlasContract : public DeviceContract {};
class CopyContract : public DeviceContract {};
class HostAccessContract : public DeviceContract {};
class MemoryContract : public DeviceContract {};
class RecordingContract : public DeviceContract {};
class StreamContract : public DeviceContract {};
class VectorContract : public DeviceContract {};

/// Names a parameter in the output of the tests.
inline std::string parameter_name(const ::testing::TestParamInfo<DeviceParameter>& info) {
    return info.param.name;
}

}  // namespace quartet::device
