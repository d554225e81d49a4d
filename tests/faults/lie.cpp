#include "tests/faults/lie.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <bit>
#include <cstdio>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/environment.hpp"

namespace quartet::faults {

namespace {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;

int rank_of_process() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

template <typename T, typename Change>
void for_all(const Array<T>& array, const Change& change) {
    for (std::int64_t row = 0; row < array.rows; ++row) {
        for (std::int64_t column = 0; column < array.columns; ++column) {
            change(array.at(row, column));
        }
    }
}

}  // namespace

Lie& Lie::of_process() {
    static Lie lie(Environment().get("QUARTET_LIE").value_or("none:all:1:float:none:0"));
    return lie;
}

Lie::Lie(const std::string& specification) {
    std::istringstream text(specification);
    std::array<std::string, 6> words;
    for (std::string& word : words) {
        std::getline(text, word, ':');
    }
    const auto& [site, rank, call, type, change, number] = words;
    site_ = site.substr(0, site.find('@'));
    least_bytes_ = site_ == site ? 0 : std::stoll(site.substr(site_.size() + 1));
    if (rank != "all") {
        rank_ = std::stoi(rank);
    }
    call_ = std::stoi(call);
    and_later_ = call.ends_with('+');
    type_ = type;
    change_ = change;
    number_ = std::stod(number);
}

bool Lie::is_told(std::string_view site, std::int64_t bytes) {
    if (site != site_ || bytes < least_bytes_ || (rank_ && *rank_ != rank_of_process())) {
        return false;
    }
    const int call = ++calls_;
    const bool told = call == call_ || (call > call_ && and_later_);
    if (told && !said_.exchange(true)) {
        std::fprintf(stderr, "lie: %s, call %d on rank %d\n", site_.c_str(), call,
                     rank_of_process());
    }
    return told;
}

template <typename T>
void Lie::tell(const Array<T>& array) const {
    const std::int64_t row = array.rows / 2;
    const std::int64_t column = array.columns / 2;
    const auto scale = [this](const Array<T>& part) {
        for_all(part, [this](T& value) { value = static_cast<T>(value * (1 + number_)); });
    };
    if (array.rows == 0 || array.columns == 0) {
        return;
    }
    if (change_ == "one") {
        scale({&array.at(row, column), 1, 1, 1, 1});
    } else if (change_ == "row") {
        scale({&array.at(row, 0), 1, array.columns, array.row_step, array.column_step});
    } else if (change_ == "column") {
        scale({&array.at(0, column), array.rows, 1, array.row_step, array.column_step});
    } else if (change_ == "all") {
        scale(array);
    } else if (change_ == "noise") {
        std::minstd_rand generator;
        std::uniform_real_distribution<double> noise(-number_, number_);
        for_all(array, [&](T& value) { value = static_cast<T>(value * (1 + noise(generator))); });
    } else if (change_ == "bit") {
        T& value = array.at(row, column);
        value = std::bit_cast<T>(std::bit_cast<BitsOf<T>>(value) ^ (BitsOf<T>{1} << bits()));
    } else if (change_ == "keep") {
        for_all(array, [&](T& value) { value = rounded(value, bits()); });
    } else if (change_ == "swap") {
        for (std::int64_t at = 0; at < array.columns; ++at) {
            std::swap(array.at(0, at), array.at(array.rows - 1, at));
        }
    } else if (change_ == "lost" || change_ == "twice") {
        for (std::int64_t at = array.rows - row; at < array.rows; ++at) {
            for (std::int64_t of_row = 0; of_row < array.columns; ++of_row) {
                array.at(at, of_row) =
                    change_ == "lost" ? T{} : array.at(at - (array.rows - row), of_row);
            }
        }
    }
}

template void Lie::tell(const Array<float>& array) const;
template void Lie::tell(const Array<double>& array) const;

void Lie::tell(std::span<std::byte> message) const {
    const auto tell_as = [&]<typename T>(T* first) {
        const auto count = static_cast<std::int64_t>(message.size() / sizeof(T));
        tell(Array<T>{first, count, 1, 1, 1});
    };
    if (is_of_floats()) {
        tell_as(reinterpret_cast<float*>(message.data()));
    } else {
        tell_as(reinterpret_cast<double*>(message.data()));
    }
}

template <typename T>
T rounded(T value, int bits) {
    const int dropped = std::numeric_limits<T>::digits - bits;
    if (dropped <= 0) {
        return value;
    }
    const BitsOf<T> unit = BitsOf<T>{1} << dropped;
    return std::bit_cast<T>((std::bit_cast<BitsOf<T>>(value) + unit / 2) & ~(unit - 1));
}

template float rounded(float value, int bits);
template double rounded(double value, int bits);

void* sound_function(const char* name) {
    void* const found = ::dlsym(RTLD_NEXT, name);
    if (found == nullptr) {
        std::fprintf(stderr, "lie: no library has %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return found;
}

}  // namespace quartet::faults
