#include "device/host/loops/loops.hpp"

namespace quartet::device {

bool processor_has(std::string_view isa) {
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return isa == "baseline" || (isa == "avx2" && v3) || (isa == "avx512" && v3 && v4);
}

}  // namespace quartet::device
