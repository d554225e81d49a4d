#include "device/vector_operations.hpp"

namespace quartet::device {

std::span<const MemoryWay> VectorOperations::ways(AccessPattern /*pattern*/) const {
    static constexpr MemoryWay plain[] = {{}};
    return plain;
}

void VectorOperations::pass(const MemoryPass& pass, MemoryWay /*way*/, Stream& stream) {
    const auto& [pattern, source, target] = pass;
    switch (pattern) {
        case AccessPattern::read:
            return dot(view_as<double>(source), view_as<double>(source), view_as<double>(target),
                       stream);
        case AccessPattern::copy:
            return copy(view_as<double>(source), view_as<double>(target), stream);
        case AccessPattern::add:
            return add(view_as<float>(source), view_as<float>(target), stream);
        case AccessPattern::update:
            return axpy(0.5, view_as<double>(source), view_as<double>(target), stream);
    }
}

}  // namespace quartet::device
