#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "comm/mpi/communicator.hpp"
#include "core/check.hpp"

// Declares the functions of ScaLAPACK 2 that are used, since it has no header. They are described
// in its users' guide (Blackford et al., 1997); BLACS is called by its C interface.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the library's names
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* leading_dimension, int* info);
void psgemm_(const char* transpose_a, const char* transpose_b, const int* rows, const int* columns,
             const int* inner, const float* alpha, const float* a, const int* a_row,
             const int* a_column, const int* a_descriptor, const float* b, const int* b_row,
             const int* b_column, const int* b_descriptor, const float* beta, float* c,
             const int* c_row, const int* c_column, const int* c_descriptor);
void Cpsgemr2d(int rows, int columns, float* from, int from_row, int from_column,
               int* from_descriptor, float* to, int to_row, int to_column, int* to_descriptor,
               int context);
// NOLINTEND(readability-identifier-naming)
}

namespace quartet::matmul {

/// ScaLAPACK's description of an array.
using Descriptor = std::array<int, 9>;

/// A communicator as BLACS knows it.
class BlacsSystem {
  public:
    explicit BlacsSystem(MPI_Comm comm) : handle_(Csys2blacs_handle(comm)) {}
    ~BlacsSystem() { Cfree_blacs_system_handle(handle_); }
    BlacsSystem(const BlacsSystem&) = delete;
    BlacsSystem& operator=(const BlacsSystem&) = delete;
    [[nodiscard]] int handle() const { return handle_; }

  private:
    int handle_;
};

/// All ranks of a system in a grid; rank r at row r % rows, column r / rows. Collective.
class BlacsGrid {
  public:
    BlacsGrid(const BlacsSystem& system, int rows, int columns) : context_(system.handle()) {
        Cblacs_gridinit(&context_, "Column", rows, columns);
    }
    ~BlacsGrid() { Cblacs_gridexit(context_); }
    BlacsGrid(const BlacsGrid&) = delete;
    BlacsGrid& operator=(const BlacsGrid&) = delete;
    [[nodiscard]] int context() const { return context_; }

  private:
    int context_;
};

/// Describes a square matrix of that size in a grid. Throws Failure if ScaLAPACK refuses it.
inline Descriptor describe(std::int64_t size, std::int64_t row_block, std::int64_t column_block,
                           const BlacsGrid& grid, std::int64_t leading_dimension) {
    const auto n = static_cast<int>(size);
    const auto rows = static_cast<int>(row_block);
    const auto columns = static_cast<int>(column_block);
    const auto leading = static_cast<int>(std::max<std::int64_t>(leading_dimension, 1));
    const int first = 0;
    const int context = grid.context();
    Descriptor descriptor{};
    int info = 0;
    descinit_(descriptor.data(), &n, &n, &rows, &columns, &first, &first, &context, &leading,
              &info);
    check(info == 0, "ScaLAPACK does not take this distribution");
    return descriptor;
}

}  // namespace quartet::matmul
