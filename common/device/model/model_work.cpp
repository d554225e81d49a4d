#include "device/model/model_work.hpp"

#include <algorithm>
#include <cmath>

#include "device/model/emulation.hpp"

namespace quartet::device {

Seconds ModelWork::transforms(double points, double length) const {
    const double operations = 5 * points * std::log2(std::max(length, 1.0));
    return launched(operations / rates_.transforms);
}

void ModelWork::enqueue(Seconds time, const char* label, Stream& stream) {
    stream.enqueue(Phase::compute, label, [time] { let_pass(time); });
}

}  // namespace quartet::device
