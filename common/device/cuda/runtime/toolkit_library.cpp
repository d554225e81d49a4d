#include "device/cuda/runtime/toolkit_library.hpp"

#include <array>

#include "core/check.hpp"
#include "toolkit_folder.hpp"

namespace quartet::device {

SharedLibrary load_toolkit_library(const std::string& name, int major_version) {
    const std::string file = "lib" + name + ".so." + std::to_string(major_version);
    const std::array names{file, std::string(toolkit_folder) + "/" + file};
    try {
        return SharedLibrary(names);
    } catch (const Failure& failure) {
        throw Unavailable("no CUDA device: the toolkit's " + file + " is not there (" +
                          failure.what() + "): add its folder to LD_LIBRARY_PATH");
    }
}

}  // namespace quartet::device
