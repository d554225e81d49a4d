#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "device/host/loops/loops.hpp"
#include "device/host/loops/processor.hpp"

namespace quartet::device {

const Loops& best_loops() {
    const Loops* best = compiled_loops().front();
    for (const Loops* loops : compiled_loops())
        if (processor_has(loops->isa))
            best = loops;
    return *best;
}

const Loops& loops_for(std::string_view isa) {
    if (isa == "auto")
        return best_loops();
    std::vector<std::string_view> names{"auto"};
    for (const Loops* loops : compiled_loops()) {
        names.push_back(loops->isa);
        if (loops->isa != isa)
            continue;
        if (!processor_has(isa))
            throw Unavailable(fmt::format("this processor does not have {}", isa));
        return *loops;
    }
    throw UsageError(fmt::format("{} is not one of {}", quotation(isa), fmt::join(names, ", ")));
}

}  // namespace quartet::device
