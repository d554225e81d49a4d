#pragma once

#include "device/matrix_layout.hpp"

namespace quartet::device {

/// Eight doubles that are added and multiplied at once: compilers take the widest registers that
/// the processor has, or several of them. Passed by reference: how they are passed by value depends
/// on the processor.
using ColumnGroup = double __attribute__((vector_size(group_columns * sizeof(double))));
/// The same, in memory that is only aligned to doubles.
using UnalignedColumnGroup = double __attribute__((vector_size(group_columns * sizeof(double)),
                                                   aligned(sizeof(double)), may_alias));

/// Eight doubles in memory, read where they are used.
inline const UnalignedColumnGroup& group_at(const double* data) {
    return *reinterpret_cast<const UnalignedColumnGroup*>(data);
}
inline UnalignedColumnGroup& group_at(double* data) {
    return *reinterpret_cast<UnalignedColumnGroup*>(data);
}

/// In the order of the lanes.
inline double sum_of(const ColumnGroup& lanes) {
    double sum = 0;
    for (std::int64_t lane = 0; lane < group_columns; ++lane)
        sum += lanes[lane];
    return sum;
}

}  // namespace quartet::device
