#include "system/openmp_places.hpp"

#include <omp.h>

#include <algorithm>

namespace quartet::system {

std::vector<int> openmp_places() {
    // `master` puts all threads where the main one is.
    const omp_proc_bind_t binding = omp_get_proc_bind();
    std::vector<int> cpus;
    if (binding == omp_proc_bind_false || binding == omp_proc_bind_master) {
        return cpus;
    }
    for (int place = 0; place < omp_get_num_places(); ++place) {
        std::vector<int> members(static_cast<std::size_t>(omp_get_place_num_procs(place)));
        omp_get_place_proc_ids(place, members.data());
        cpus.insert(cpus.end(), members.begin(), members.end());
    }
    std::ranges::sort(cpus);
    const auto repeated = std::ranges::unique(cpus);
    cpus.erase(repeated.begin(), repeated.end());
    return cpus;
}

}  // namespace quartet::system
