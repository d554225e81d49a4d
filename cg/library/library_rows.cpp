#include "cg/library/library_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/block_range.hpp"
#include "device/blas.hpp"
#include "device/host_access.hpp"
#include "system/parallel_for.hpp"

namespace quartet::cg {

namespace {

/// The elements of one row that a piece of the block has.
struct Segment {
    std::int64_t row;
    Range columns;
    std::size_t offset;  ///< in the piece
};

// Pieces begin and end anywhere: a GPU's memory is seen by as much as a buffer holds.
Segment segment_of(const device::RowBlock& block, Range piece, std::int64_t row) {
    const std::int64_t begin = std::max(piece.begin, row * block.columns);
    const std::int64_t end = std::min(piece.end, (row + 1) * block.columns);
    return {block.first_row + row,
            {begin - row * block.columns, end - row * block.columns},
            static_cast<std::size_t>(begin - piece.begin)};
}

Range rows_of(const device::RowBlock& block, Range piece) {
    return {piece.begin / block.columns, (piece.end + block.columns - 1) / block.columns};
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
    const auto fill_piece = [&](std::int64_t first, std::span<double> elements) {
        const Range piece{first, first + std::ssize(elements)};
        const Range rows = rows_of(block_, piece);
        const int threads = context_.threads;
        system::parallel_parts_that_throw(threads, [&](int part) {
            const Range mine = block_range(rows.size(), threads, part);
            for (std::int64_t row = rows.begin + mine.begin; row < rows.begin + mine.end; ++row) {
                const Segment segment = segment_of(block_, piece, row);
                read_row(segment.row, segment.columns.begin,
                         elements.subspan(segment.offset,
                                          static_cast<std::size_t>(segment.columns.size())));
            }
        });
    };
    device::HostAccess(context_.device, context_.stream).write(elements_.view(), fill_piece);
}

void LibraryRows::multiply(device::View<const double> x, device::View<double> y,
                           device::Stream& stream) {
    context_.device.blas().gemv(block_.rows, block_.columns, elements_.view(), x, y, stream);
}

void LibraryRows::visit(const device::VisitRow& visit_row) const {
    const auto visit_piece = [&](std::int64_t first, std::span<const double> elements) {
        const Range piece{first, first + std::ssize(elements)};
        const Range rows = rows_of(block_, piece);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const Segment segment = segment_of(block_, piece, row);
            visit_row(
                segment.row, segment.columns.begin,
                elements.subspan(segment.offset, static_cast<std::size_t>(segment.columns.size())));
        }
    };
    device::HostAccess(context_.device, context_.stream).read(storage(), visit_piece);
}

std::string LibraryRows::description() const {
    return fmt::format("rows one after another (row-major), gemv of {}",
                       context_.device.blas().description());
}

}  // namespace quartet::cg
