#include "cg/library/library_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/block_range.hpp"
#include "device/blas.hpp"
#include "device/host_access.hpp"
#include "system/parallel_for.hpp"

namespace quartet::cg {

namespace {

// Hands the elements of each row in a piece of the block to `use`, an equal part of the rows by
// each thread. Pieces begin and end anywhere: a GPU's memory is seen by as much as a buffer holds.
template <typename T, typename Use>
void for_each_row(const device::RowBlock& block, std::int64_t first, std::span<T> piece,
                  int threads, const Use& use) {
    const std::int64_t end = first + std::ssize(piece);
    const std::int64_t columns = block.columns;
    const Range rows{first / columns, (end + columns - 1) / columns};
    system::parallel_parts_that_throw(threads, [&](int part) {
        const Range mine = block_range(rows.size(), threads, part);
        for (std::int64_t row = rows.begin + mine.begin; row < rows.begin + mine.end; ++row) {
            const std::int64_t from = std::max(first, row * columns);
            const std::int64_t to = std::min(end, (row + 1) * columns);
            use(block.first_row + row, from - row * columns,
                piece.subspan(static_cast<std::size_t>(from - first),
                              static_cast<std::size_t>(to - from)));
        }
    });
}

device::Buffer<double> make_elements(bench::Arena& arena, const device::RowBlock& block) {
    return arena.make<double>(block.rows * block.columns);
}

}  // namespace

device::RowBlock row_block(const RankContext& context, const Problem& problem) {
    const Range rows = block_range(problem.size, context.ranks(), context.rank());
    return {rows.begin, rows.size(), problem.size};
}

LibraryRows::LibraryRows(const RankContext& context, bench::Arena& arena,
                         const device::RowBlock& block)
    : context_(context), block_(block), elements_(make_elements(arena, block)) {}

void LibraryRows::count(bench::Arena& arena, const device::Device& device,
                        const device::RowBlock& block) {
    const Bytes elements = make_elements(arena, block).view().bytes();
    arena.count(device::HostAccess::memory(elements, device.memory_kind()), bench::Room::host);
}

void LibraryRows::fill(const device::ReadRow& read_row) {
    device::HostAccess(context_.device, context_.stream)
        .write(elements_.view(), [&](std::int64_t first, std::span<double> piece) {
            for_each_row(block_, first, piece, context_.threads, read_row);
        });
}

void LibraryRows::multiply(device::View<const double> x, device::View<double> y,
                           device::Stream& stream) {
    context_.device.blas().gemv(block_.rows, block_.columns, elements_.view(), x, y, stream);
}

void LibraryRows::visit(const device::VisitRow& visit_row) const {
    device::HostAccess(context_.device, context_.stream)
        .read(storage(), [&](std::int64_t first, std::span<const double> piece) {
            for_each_row(block_, first, piece, 1, visit_row);
        });
}

std::string LibraryRows::description() const {
    return fmt::format("rows one after another (row-major), gemv of {}",
                       context_.device.blas().description());
}

}  // namespace quartet::cg
