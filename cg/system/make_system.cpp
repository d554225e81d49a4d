#include "cg/system/make_system.hpp"

#include "cg/system/laplace.hpp"
#include "cg/system/matrix_file.hpp"
#include "cg/system/random_system.hpp"

namespace quartet::cg {

std::unique_ptr<LinearSystem> make_system(const Problem& problem, bench::Session& session,
                                          const bench::DataOptions& data) {
    if (problem.system == "laplace") {
        return std::make_unique<Laplace>(problem.size);
    }
    if (problem.system == "random") {
        return std::make_unique<RandomSystem>(problem.size, session.options().seed);
    }
    if (data.is_own()) {
        const BlockFolder folder(session, problem, data);
        folder.verify(session);
        return std::make_unique<MatrixFile>(folder, *data.folder, problem.size, session.world(),
                                            session.options().seed);
    }
    return std::make_unique<MatrixFile>(problem.system, session.world(), session.options().seed);
}

Bytes system_memory(const Problem& problem, int ranks) {
    // RandomSystem has more than Laplace: six vectors of doubles, two of long doubles.
    return problem.is_made() ? (6 * 8 + 2 * 16) * Bytes{problem.size}
                             : MatrixFile::memory(problem.size, ranks);
}

}  // namespace quartet::cg
