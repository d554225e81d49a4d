#include "matmul/dataflow/dataflow_ways.hpp"

namespace quartet::matmul {

std::vector<DataflowWay> dataflow_ways() {
    std::vector<DataflowWay> ways;
    for (const char* reducer_device : {"host", "cuda"}) {
        ways.push_back({"cuda", "mpi", reducer_device, false});
        ways.push_back({"cuda", "staged", reducer_device, true});
        ways.push_back({"cuda", "ipc", reducer_device, true});
    }
    return ways;
}

}  // namespace quartet::matmul
