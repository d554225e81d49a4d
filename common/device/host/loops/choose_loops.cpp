#include <fmt/format.h>

#include "core/check.hpp"
#include "core/nearest_word.hpp"
#include "device/host/loops/loops.hpp"

namespace quartet::device {

const Loops& best_loops() {
    const Loops* best = compiled_loops().front();
    for (const Loops* loops : compiled_loops())
        if (processor_has(loops->isa))
            best = loops;
    return *best;
}

std::vector<std::string> isa_choices() {
    std::vector<std::string> names{"auto"};
    for (const Loops* loops : compiled_loops())
        names.emplace_back(loops->isa);
    return names;
}

const Loops& loops_for(std::string_view isa) {
    if (isa == "auto")
        return best_loops();
    for (const Loops* loops : compiled_loops()) {
        if (loops->isa != isa)
            continue;
        if (!processor_has(isa))
            throw Unavailable(
                fmt::format("this processor does not have {} (its widest is {}): leave out --isa",
                            isa, best_loops().isa));
        return *loops;
    }
    throw UsageError(not_one_of(isa, isa_choices()));
}

}  // namespace quartet::device
