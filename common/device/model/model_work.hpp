#pragma once

#include <cstddef>
#include <cstdint>

#include "device/machine_rates.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The time of operations by the rates of a machine: launch + bytes / memory rate, or + operations
/// / rate. All operations of a device share it.
class ModelWork {
  public:
    explicit ModelWork(MachineRates rates) : rates_(std::move(rates)) {}

    [[nodiscard]] const MachineRates& rates() const { return rates_; }

    /// An operation that reads and writes `bytes` in all.
    [[nodiscard]] Seconds traffic(double bytes) const { return launched(bytes / rates_.memory); }
    /// The product of a rows x inner and an inner x columns matrix.
    [[nodiscard]] Seconds product(double rows, double columns, double inner) const {
        return launched(2 * rows * columns * inner / rates_.products);
    }
    /// Transforms of a length, over all of these points.
    [[nodiscard]] Seconds transforms(double points, double length) const;

    /// Enqueues an operation that takes so long.
    static void enqueue(Seconds time, const char* label, Stream& stream);

    /// While it is positive operations are part of one launch.
    int& recorded() { return recorded_; }

  private:
    [[nodiscard]] Seconds launched(double seconds) const {
        return {seconds + (recorded_ > 0 ? 0 : rates_.launch.value)};
    }

    MachineRates rates_;
    int recorded_ = 0;
};

}  // namespace quartet::device
