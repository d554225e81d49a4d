#pragma once

#include <string>
#include <vector>

namespace quartet::matmul {

/// Where a data flow of the tests computes, and what moves its partial tiles.
struct DataflowWay {
    std::string device = "host";
    std::string transport;
    std::string reducer_device = "host";
    /// Whether partial tiles are read where the worker has them.
    bool in_place = false;

    [[nodiscard]] bool on_gpu() const { return device != "host"; }
};

/// Those of the executable.
std::vector<DataflowWay> dataflow_ways();

}  // namespace quartet::matmul
