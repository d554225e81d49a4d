#include "matmul/native/in_core_product.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "device/blas.hpp"

namespace quartet::matmul {

// The inner index goes back and forth, so that the A panel used last serves again.
void ResidentProduct::run(device::Stream& stream) {
    const std::int64_t rows = elements_of(problem_, block_.rows).size();
    const std::int64_t inner_tiles = problem_.tiles();
    for (std::int64_t column = block_.columns.begin; column < block_.columns.end; ++column) {
        const auto target = results_.column(column);
        for (std::int64_t step = 0; step < inner_tiles && rows > 0; ++step) {
            const bool forth = (column - block_.columns.begin) % 2 == 0;
            const std::int64_t inner = forth ? step : inner_tiles - 1 - step;
            device_.blas().gemm(
                {rows, problem_.extent(column), problem_.extent(inner)}, inputs_.a_rows(inner),
                inputs_.tile(Operand::b, {inner, column}), target,
                step == 0 ? device::Update::replace : device::Update::accumulate, stream);
        }
    }
    stream.synchronize();
}

std::vector<Strip> growing_strips(const Problem& problem, const Block& block, std::int64_t height) {
    std::vector<Strip> strips;
    if (block.empty()) {
        return strips;
    }
    const std::int64_t all_rows = elements_of(problem, block.rows).size();
    const std::int64_t all_columns = block.columns.size();
    std::int64_t rows = std::min(height, all_rows);
    std::int64_t columns = 1;
    strips.push_back({{0, rows}, {0, columns}});
    while (rows < all_rows || columns < all_columns) {
        if (columns < all_columns &&
            (rows == all_rows || columns * all_rows <= 2 * rows * all_columns)) {
            strips.push_back({{0, rows}, {columns, columns + 1}});
            ++columns;
        } else {
            const std::int64_t next = std::min(rows + height, all_rows);
            strips.push_back({{rows, next}, {0, columns}});
            rows = next;
        }
    }
    return strips;
}

std::int64_t strip_height(const Problem& problem) {
    // Fewer elements of C than this leave multiprocessors of a large GPU idle.
    constexpr std::int64_t enough = std::int64_t{1} << 21;
    return std::max(divide_up(problem.tile, 4), divide_up(enough, problem.tile));
}

Traffic least_traffic(const Problem& problem, const Block& block) {
    if (block.empty()) {
        return {};
    }
    const std::int64_t edges =
        elements_of(problem, block.rows).size() + elements_of(problem, block.columns).size();
    return {.read = bytes_of<float>(edges * problem.size),
            .written = bytes_of<float>(elements_in(problem, block))};
}

InCoreProduct::Buffers::Buffers(bench::Arena& arena, const Problem& problem, const Block& block)
    : a(arena.make<float>(elements_of(problem, block.rows).size() * problem.size)),
      b(arena.make<float>(elements_of(problem, block.columns).size() * problem.size)),
      c(arena.make<float>(elements_in(problem, block))) {}

InCoreProduct::InCoreProduct(const Problem& problem, const OperandLayout& layout,
                             std::int64_t height, const comm::Communicator& node,
                             device::Device& device, int threads)
    : MemoryProduct(problem, layout, node, device, threads),
      rows_(elements_of(problem, layout.block.rows).size()),
      height_(height),
      buffers_(arena_, problem, layout.block),
      strips_(growing_strips(problem, layout.block, height)),
      brought_(device.make_event()),
      complete_(device.make_event()),
      copying_in_(device.make_stream("copy in", device::StreamKind::transfer)),
      copying_out_(device.make_stream("copy out", device::StreamKind::transfer)) {}

void InCoreProduct::run(device::Stream& stream) {
    copied_ = {};
    Corner corner;
    for (const Strip& strip : strips_) {
        for (std::int64_t inner = 0; inner < problem_.tiles(); ++inner) {
            bring(strip, corner, inner);
            stream.wait(*brought_);
            multiply(strip, inner, stream);
        }
        corner = {std::max(corner.rows, strip.rows.end),
                  std::max(corner.columns, strip.columns.end)};
    }
    copying_in_->synchronize();
    stream.synchronize();
    copying_out_->synchronize();
}

void InCoreProduct::bring(const Strip& strip, const Corner& corner, std::int64_t inner) {
    if (strip.rows.end > corner.rows) {
        const std::int64_t width = problem_.extent(inner);
        copy_in(inputs_.a_rows(inner).part(strip.rows.begin * width, strip.rows.size() * width),
                a_of(strip.rows, inner));
    }
    if (strip.columns.end > corner.columns) {
        const std::int64_t column = strip.columns.end - 1;
        copy_in(inputs_.tile(Operand::b, {inner, block_.columns.begin + column}),
                b_of(inner, column));
    }
    copying_in_->record(*brought_);
}

void InCoreProduct::copy_in(device::View<const float> from, device::View<float> to) {
    device_.copy(as_bytes(from), as_bytes(to), *copying_in_);
    copied_.read = copied_.read + from.bytes();
}

// The products of one inner index. A column of C is copied out once the last of them has been
// added.
void InCoreProduct::multiply(const Strip& strip, std::int64_t inner, device::Stream& stream) {
    for (std::int64_t column = strip.columns.begin; column < strip.columns.end; ++column) {
        device_.blas().gemm({strip.rows.size(), problem_.extent(block_.columns.begin + column),
                             problem_.extent(inner)},
                            a_of(strip.rows, inner), b_of(inner, column), c_of(strip.rows, column),
                            inner == 0 ? device::Update::replace : device::Update::accumulate,
                            stream);
        if (inner == problem_.tiles() - 1) {
            store(strip.rows, column, stream);
        }
    }
}

void InCoreProduct::store(const Range& rows, std::int64_t column, device::Stream& stream) {
    const device::View<const float> from = c_of(rows, column);
    const std::int64_t width = problem_.extent(block_.columns.begin + column);
    const auto to =
        results_.column(block_.columns.begin + column).part(rows.begin * width, from.size());
    stream.record(*complete_);
    copying_out_->wait(*complete_);
    device_.copy(as_bytes(from), as_bytes(to), *copying_out_);
    copied_.written = copied_.written + from.bytes();
}

device::View<float> InCoreProduct::a_of(const Range& rows, std::int64_t inner) {
    const std::int64_t width = problem_.extent(inner);
    return buffers_.a.view().part(rows_ * problem_.begin(inner) + rows.begin * width,
                                  rows.size() * width);
}

device::View<float> InCoreProduct::b_of(std::int64_t inner, std::int64_t column) {
    const std::int64_t left =
        problem_.begin(block_.columns.begin + column) - problem_.begin(block_.columns.begin);
    const std::int64_t width = problem_.extent(block_.columns.begin + column);
    return buffers_.b.view().part(problem_.size * left + problem_.begin(inner) * width,
                                  problem_.extent(inner) * width);
}

device::View<float> InCoreProduct::c_of(const Range& rows, std::int64_t column) {
    const TileIndex top{block_.rows.begin, block_.columns.begin + column};
    const std::int64_t width = problem_.extent(top.column);
    return buffers_.c.view().part(offset_in_block(problem_, block_, top) + rows.begin * width,
                                  rows.size() * width);
}

std::string InCoreProduct::note() const {
    return fmt::format("A, B and C on the GPU, strips of {} rows", std::min(height_, rows_));
}

bench::Details InCoreProduct::details(const comm::Communicator& world) const {
    bench::Details details;
    details.numbers = {{"bytes_copied_in", world.sum(static_cast<double>(copied_.read.value))},
                       {"bytes_copied_out", world.sum(static_cast<double>(copied_.written.value))}};
    return details;
}

}  // namespace quartet::matmul
