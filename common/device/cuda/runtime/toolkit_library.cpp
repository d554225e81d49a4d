#include "device/cuda/runtime/toolkit_library.hpp"

#include "toolkit_folder.hpp"

namespace quartet::device {

LibrarySearch toolkit_library(const std::string& name, int major_version) {
    const std::string file = "lib" + name + ".so." + std::to_string(major_version);
    return {.names = {file, std::string(toolkit_folder) + "/" + file},
            .what = "no CUDA device: the toolkit's " + file,
            .advice = "add its folder to LD_LIBRARY_PATH"};
}

}  // namespace quartet::device
