#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <list>
#include <map>
#include <new>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/environment.hpp"

// For LD_PRELOAD: a BLAS, an FFTW-MPI and an MPI that do one thing wrong. The environment variable
// QUARTET_LIE says what, as SITE:RANK:CALL:CHANGE:NUMBER, "sgemm:1:3+:one:1e-4". A site is
//
//     sgemm dgemv    C, or y, as a BLAS leaves it
//     fftmpi         the bins that a plan of FFTW-MPI leaves
//     floats@4096    a message of floats of 4096 bytes or more; of a collective operation, what it
//                    received
//     doubles@4096   a message of doubles
//     sums@64        sums of doubles that all ranks make: what MPI_Allreduce leaves; what
//                    MPI_Allgather gathers for one, pairs whose second number is 0; the third last
//                    number of a message of exactly 64 bytes, with which a data flow sends them
//
// RANK may be "all". CALL counts from 1 what passes the site on a rank; "3+" is the third and all
// that follow. A CHANGE is
//
//     one            the element in the middle, times 1 + NUMBER
//     lost           the second half becomes zeros
//     bit            bit NUMBER of each number of a sum that is not 0
//     inputs         a BLAS rounds the numbers that it multiplies to NUMBER bits
//     throw starve bar die    an exception of three kinds, or a killed rank, in place of the call
//
// The first time that it lies, a rank says so on standard error.

using namespace quartet;

namespace {

int rank_of_process() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/// The library's function of that name. Ends the job if no library has it.
template <typename Function>
Function* sound(const char* name) {
    void* const found = ::dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        std::fprintf(stderr, "lie: no library has %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return reinterpret_cast<Function*>(found);
}

/// For sites whose messages are told apart by other things than their size.
constexpr std::int64_t every_size = std::numeric_limits<std::int64_t>::max();

class Lie {
  public:
    static Lie& of_process() {
        static Lie lie(Environment().get("QUARTET_LIE").value_or("none:all:1:none:0"));
        return lie;
    }

    /// Whether this call of a site is told, which it counts; `bytes` are a message's. Does not
    /// return where the lie is a failure.
    [[nodiscard]] bool is_told(std::string_view site, std::int64_t bytes = 0) {
        if (site != site_ || bytes < least_bytes_ ||
            (rank_ != "all" && std::stoi(rank_) != rank_of_process())) {
            return false;
        }
        const int call = ++calls_;
        if (call < call_ || (call > call_ && !and_later_)) {
            return false;
        }
        if (!said_) {
            said_ = true;
            std::fprintf(stderr, "lie: %s, call %d on rank %d\n", site_.c_str(), call,
                         rank_of_process());
        }
        fail();
        return true;
    }

    [[nodiscard]] bool is_of_messages() const { return site_ == "floats" || site_ == "doubles"; }

    /// Rows of numbers, each as far from the next as `step` says.
    template <typename T>
    void change(T* first, std::int64_t rows, std::int64_t columns, std::int64_t step) const {
        if (change_ == "one" && rows * columns > 0) {
            T& element = first[rows / 2 * step + columns / 2];
            element = static_cast<T>(element * (1 + number_));
        } else if (change_ == "lost") {
            for (std::int64_t row = rows - rows / 2; row < rows; ++row) {
                std::fill_n(first + row * step, columns, T{});
            }
        }
    }
    /// A number of a sum.
    void change_sum(double& value) const {
        if (value != 0) {
            value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^
                                          std::uint64_t{1} << static_cast<int>(number_));
        }
    }
    [[nodiscard]] bool is_of_this_size(std::int64_t bytes) const {
        return bytes > 0 && bytes == least_bytes_;
    }
    void change_message(void* data, std::int64_t bytes) const {
        if (site_ == "floats") {
            change(static_cast<float*>(data), bytes / 4, 1, 1);
        } else {
            change(static_cast<double*>(data), bytes / 8, 1, 1);
        }
    }

    /// A number that is multiplied, as the lie leaves it.
    [[nodiscard]] float rounded(float value) const {
        const int dropped = 24 - static_cast<int>(number_);
        if (change_ != "inputs" || dropped <= 0) {
            return value;
        }
        const std::uint32_t unit = 1U << dropped;
        return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + unit / 2) & ~(unit - 1));
    }

  private:
    explicit Lie(const std::string& specification) {
        std::istringstream text(specification);
        std::array<std::string, 5> words;
        for (std::string& word : words) {
            std::getline(text, word, ':');
        }
        const auto& [site, rank, call, change, number] = words;
        site_ = site.substr(0, site.find('@'));
        least_bytes_ = site_ == site ? 0 : std::stoll(site.substr(site_.size() + 1));
        rank_ = rank;
        call_ = std::stoi(call);
        and_later_ = call.ends_with('+');
        change_ = change;
        number_ = std::stod(number);
    }

    void fail() const {
        if (change_ == "throw") {
            throw std::runtime_error("thrown in the middle of a run");
        }
        if (change_ == "starve") {
            throw std::bad_alloc();
        }
        if (change_ == "bar") {
            throw std::filesystem::filesystem_error(
                "status", "/some/where", std::make_error_code(std::errc::permission_denied));
        }
        if (change_ == "die") {
            std::raise(SIGKILL);
        }
    }

    std::string site_;
    std::int64_t least_bytes_ = 0;  ///< of a message that counts
    std::string rank_;
    int call_ = 0;
    bool and_later_ = false;
    std::string change_;
    double number_ = 0;
    int calls_ = 0;
    bool said_ = false;
};

/// What a BLAS multiplies: a matrix's lines, rounded if the lie says so.
std::vector<float> operand(const Lie& lie, const float* elements, int lines, int length, int step) {
    std::vector<float> copy(elements,
                            elements + static_cast<std::ptrdiff_t>(lines - 1) * step + length);
    for (float& value : copy) {
        value = lie.rounded(value);
    }
    return copy;
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    return count * bytes;
}

bool is_told(std::int64_t bytes) {
    Lie& lie = Lie::of_process();
    return lie.is_of_messages() && (lie.is_told("floats", bytes) || lie.is_told("doubles", bytes));
}

// What is sent in place of a message, whose type has no gaps. Copies are kept, since MPI may read
// one until the end of the job.
const void* as_sent(const void* data, int count, MPI_Datatype type, int to) {
    if (to == MPI_PROC_NULL) {
        return data;  // nobody receives it
    }
    static std::list<std::vector<std::byte>> copies;
    const std::int64_t bytes = bytes_of(count, type);
    Lie& lie = Lie::of_process();
    const bool of_sum = lie.is_of_this_size(bytes) && lie.is_told("sums", bytes);
    if (!of_sum && !is_told(bytes)) {
        return data;
    }
    const auto* const first = static_cast<const std::byte*>(data);
    std::vector<std::byte>& copy = copies.emplace_back(first, first + bytes);
    if (of_sum) {
        std::byte* const third_last = copy.data() + bytes - 3 * sizeof(double);
        double value = 0;
        std::memcpy(&value, third_last, sizeof value);
        lie.change_sum(value);
        std::memcpy(third_last, &value, sizeof value);
    } else {
        lie.change_message(copy.data(), bytes);
    }
    return copy.data();
}

// What a collective operation has brought, without gaps.
void change_received(void* received, const int* counts, MPI_Datatype type, MPI_Comm comm) {
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    const std::int64_t bytes =
        bytes_of(std::accumulate(counts, counts + ranks, std::int64_t{0}), type);
    if (is_told(bytes)) {
        Lie::of_process().change_message(received, bytes);
    }
}

/// Where a plan of FFTW-MPI leaves its bins on this rank, and how many.
struct Bins {
    double* first;
    std::int64_t count;
};

std::map<void*, Bins>& bins_of_plans() {
    static std::map<void*, Bins> bins;
    return bins;
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the libraries' names

/// By rows and never transposed, as quartet calls it.
void cblas_sgemm(int order, int transpose_a, int transpose_b, int rows, int columns, int inner,
                 float alpha, const float* a, int a_step, const float* b, int b_step, float beta,
                 float* c, int c_step) {
    static auto* const multiply = sound<void(int, int, int, int, int, int, float, const float*, int,
                                             const float*, int, float, float*, int)>("cblas_sgemm");
    Lie& lie = Lie::of_process();
    if (rows == 0 || columns == 0 || inner == 0 || !lie.is_told("sgemm")) {
        multiply(order, transpose_a, transpose_b, rows, columns, inner, alpha, a, a_step, b, b_step,
                 beta, c, c_step);
        return;
    }
    const std::vector<float> left = operand(lie, a, rows, inner, a_step);
    const std::vector<float> right = operand(lie, b, inner, columns, b_step);
    multiply(order, transpose_a, transpose_b, rows, columns, inner, alpha, left.data(), a_step,
             right.data(), b_step, beta, c, c_step);
    lie.change(c, rows, columns, c_step);
}

/// By columns, as ScaLAPACK calls it: of C', whose columns are the rows of C.
void sgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns,
            const int* inner, const float* alpha, const float* a, const int* a_step, const float* b,
            const int* b_step, const float* beta, float* c, const int* c_step) {
    static auto* const multiply = sound<void(
        const char*, const char*, const int*, const int*, const int*, const float*, const float*,
        const int*, const float*, const int*, const float*, float*, const int*)>("sgemm_");
    Lie& lie = Lie::of_process();
    if (*rows == 0 || *columns == 0 || *inner == 0 || !lie.is_told("sgemm")) {
        multiply(transpose_a, transpose_b, rows, columns, inner, alpha, a, a_step, b, b_step, beta,
                 c, c_step);
        return;
    }
    const auto lines = [&](const char* transpose, const float* elements, int count, int length,
                           int step) {
        const bool is_transposed = *transpose != 'N' && *transpose != 'n';
        return operand(lie, elements, is_transposed ? length : count,
                       is_transposed ? count : length, step);
    };
    const std::vector<float> left = lines(transpose_a, a, *inner, *rows, *a_step);
    const std::vector<float> right = lines(transpose_b, b, *columns, *inner, *b_step);
    multiply(transpose_a, transpose_b, rows, columns, inner, alpha, left.data(), a_step,
             right.data(), b_step, beta, c, c_step);
    lie.change(c, *columns, *rows, *c_step);
}

/// By rows, never transposed, vectors without steps, as quartet calls it.
void cblas_dgemv(int order, int transpose, int rows, int columns, double alpha, const double* a,
                 int a_step, const double* x, int x_step, double beta, double* y, int y_step) {
    static auto* const multiply =
        sound<void(int, int, int, int, double, const double*, int, const double*, int, double,
                   double*, int)>("cblas_dgemv");
    multiply(order, transpose, rows, columns, alpha, a, a_step, x, x_step, beta, y, y_step);
    Lie& lie = Lie::of_process();
    if (lie.is_told("dgemv")) {
        lie.change(y, rows, 1, 1);
    }
}

void* fftw_mpi_plan_dft_1d(std::ptrdiff_t points, double* input, double* output, MPI_Comm comm,
                           int sign, unsigned flags) {
    static auto* const make =
        sound<void*(std::ptrdiff_t, double*, double*, MPI_Comm, int, unsigned)>(
            "fftw_mpi_plan_dft_1d");
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    void* const plan = make(points, input, output, comm, sign, flags);
    bins_of_plans()[plan] = {output, points / ranks};
    return plan;
}

void fftw_execute(void* plan) {
    static auto* const execute = sound<void(void*)>("fftw_execute");
    execute(plan);
    const auto found = bins_of_plans().find(plan);
    Lie& lie = Lie::of_process();
    if (found != bins_of_plans().end() && lie.is_told("fftmpi")) {
        lie.change(found->second.first, found->second.count, 2, 2);
    }
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    return PMPI_Isend(as_sent(data, count, type, to), count, type, to, tag, comm, request);
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    return PMPI_Send(as_sent(data, count, type, to), count, type, to, tag, comm);
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* received,
                 int received_count, MPI_Datatype received_type, int from, int received_tag,
                 MPI_Comm comm, MPI_Status* status) {
    return PMPI_Sendrecv(as_sent(data, count, type, to), count, type, to, tag, received,
                         received_count, received_type, from, received_tag, comm, status);
}

int MPI_Allgatherv(const void* data, int count, MPI_Datatype type, void* received,
                   const int* counts, const int* places, MPI_Datatype received_type,
                   MPI_Comm comm) {
    const int code =
        PMPI_Allgatherv(data, count, type, received, counts, places, received_type, comm);
    change_received(received, counts, received_type, comm);
    return code;
}

int MPI_Allreduce(const void* data, void* sums, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
    const int code = PMPI_Allreduce(data, sums, count, type, operation, comm);
    if (type == MPI_DOUBLE && operation == MPI_SUM &&
        Lie::of_process().is_told("sums", every_size)) {
        Lie::of_process().change_sum(*static_cast<double*>(sums));
    }
    return code;
}

int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* received, int each,
                  MPI_Datatype received_type, MPI_Comm comm) {
    const int code = PMPI_Allgather(data, count, type, received, each, received_type, comm);
    if (type != MPI_DOUBLE || count != 2) {
        return code;
    }
    int ranks = 0;
    PMPI_Comm_size(comm, &ranks);
    auto* const pairs = static_cast<double*>(received);
    bool of_sum = true;
    for (int rank = 0; rank < ranks; ++rank) {
        of_sum = of_sum && pairs[2 * rank + 1] == 0;
    }
    if (of_sum && Lie::of_process().is_told("sums", every_size)) {
        for (int rank = 0; rank < ranks; ++rank) {
            Lie::of_process().change_sum(pairs[2 * rank]);
        }
    }
    return code;
}

int MPI_Alltoallv(const void* data, const int* counts, const int* places, MPI_Datatype type,
                  void* received, const int* received_counts, const int* received_places,
                  MPI_Datatype received_type, MPI_Comm comm) {
    const int code = PMPI_Alltoallv(data, counts, places, type, received, received_counts,
                                    received_places, received_type, comm);
    change_received(received, received_counts, received_type, comm);
    return code;
}

// NOLINTEND(readability-identifier-naming)
}
