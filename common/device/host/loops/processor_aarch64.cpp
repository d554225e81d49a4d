#include <sys/auxv.h>
#include <sys/prctl.h>

#include "device/host/loops/loops.hpp"

namespace quartet::device {

namespace {

/// Bits of the vectors that the system gives this process; 0 without SVE.
int sve_bits() {
    if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0)
        return 0;
    const int answer = prctl(PR_SVE_GET_VL);
    return answer < 0 ? 0 : 8 * (answer & PR_SVE_VL_LEN_MASK);
}

}  // namespace

// Loops for vectors of one length are correct with that length only.
bool processor_has(std::string_view isa) {
    return isa == "neon" || (isa == "sve256" && sve_bits() == 256) ||
           (isa == "sve512" && sve_bits() == 512);
}

}  // namespace quartet::device
