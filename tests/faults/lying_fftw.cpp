#include <mpi.h>

#include <cstddef>
#include <map>

#include "tests/faults/lie.hpp"

// An FFTW and an FFTW-MPI that lie about the bins of the plans that quartet makes (lie.hpp). Plans
// tell where their results lie, or how many there are, only while they are made.

using namespace quartet;

namespace {

/// FFTW's: a length and its steps.
struct Dimension {
    std::ptrdiff_t length;
    std::ptrdiff_t input_step;
    std::ptrdiff_t output_step;
};

using PlanGuru = void*(int rank, const Dimension* lengths, int batch_rank, const Dimension* batches,
                       double* input, double* output, int sign, unsigned flags);
using ExecuteDft = void(void* plan, double* input, double* output);
using PlanMpi = void*(std::ptrdiff_t points, double* input, double* output, MPI_Comm comm, int sign,
                      unsigned flags);
using Execute = void(void* plan);

/// The bins that a plan leaves on this rank; where, if the plan says so.
struct Bins {
    std::int64_t count;
    double* first;
};

std::map<void*, Bins>& bins_of_plans() {
    static std::map<void*, Bins> bins;
    return bins;
}

void tell(const char* site, void* plan, double* first) {
    const auto found = bins_of_plans().find(plan);
    faults::Lie& lie = faults::Lie::of_process();
    if (found != bins_of_plans().end() && lie.is_told(site)) {
        lie.tell(faults::Array<double>{first == nullptr ? found->second.first : first,
                                       found->second.count, 2, 2, 1});
    }
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the library's names

/// Of one dimension in a batch, as quartet plans.
void* fftw_plan_guru64_dft(int rank, const Dimension* lengths, int batch_rank,
                           const Dimension* batches, double* input, double* output, int sign,
                           unsigned flags) {
    static auto* const sound = faults::sound<PlanGuru>("fftw_plan_guru64_dft");
    void* const plan = sound(rank, lengths, batch_rank, batches, input, output, sign, flags);
    bins_of_plans()[plan] = {lengths->length * batches->length, nullptr};
    return plan;
}

void fftw_execute_dft(void* plan, double* input, double* output) {
    static auto* const sound = faults::sound<ExecuteDft>("fftw_execute_dft");
    sound(plan, input, output);
    tell("fft", plan, output);
}

void* fftw_mpi_plan_dft_1d(std::ptrdiff_t points, double* input, double* output, MPI_Comm comm,
                           int sign, unsigned flags) {
    static auto* const sound = faults::sound<PlanMpi>("fftw_mpi_plan_dft_1d");
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    void* const plan = sound(points, input, output, comm, sign, flags);
    bins_of_plans()[plan] = {points / ranks, output};
    return plan;
}

void fftw_execute(void* plan) {
    static auto* const sound = faults::sound<Execute>("fftw_execute");
    sound(plan);
    tell("fftmpi", plan, nullptr);
}

// NOLINTEND(readability-identifier-naming)
}
