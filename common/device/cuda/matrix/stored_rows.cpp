#include "device/cuda/matrix/stored_rows.hpp"

#include <algorithm>

#include "core/block_range.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

// Enough for copies to run at full speed, unless one row is more.
constexpr std::int64_t staged_elements = mebibytes(32).value / std::int64_t{sizeof(double)};

/// Rows [begin, end) and the elements that they take.
struct Batch {
    Range rows;
    Range elements;
};

Batch next_batch(const StoredRows& rows, std::int64_t begin) {
    const std::int64_t first = rows.at(begin).offset;
    Batch batch{{begin, begin}, {first, first}};
    while (batch.rows.end < rows.count) {
        const StoredRow row = rows.at(batch.rows.end);
        const std::int64_t end = row.offset + row.padded;
        if (batch.rows.size() > 0 && end - first > staged_elements)
            break;
        ++batch.rows.end;
        batch.elements.end = end;
    }
    return batch;
}

/// Calls use(batch, staging) for one batch after another; the staging memory has its size.
template <typename Use>
void for_batches(const StoredRows& rows, CudaMemory& memory, Use use) {
    Buffer<double> staging;
    for (std::int64_t begin = 0; begin < rows.count;) {
        const Batch batch = next_batch(rows, begin);
        if (staging.size() < batch.elements.size()) {
            const std::int64_t size = std::max(staged_elements, batch.elements.size());
            staging = {memory.allocate(bytes_of<double>(size), MemoryKind::pinned), size};
        }
        use(batch, staging.view().part(0, batch.elements.size()));
        begin = batch.rows.end;
    }
}

}  // namespace

void fill_rows(const StoredRows& rows, const ReadRow& read_row, View<double> elements,
               CudaMemory& memory, int threads) {
    for_batches(rows, memory, [&](const Batch& batch, View<double> staging) {
        system::parallel_parts_that_throw(threads, [&](int part) {
            const Range mine = block_range(batch.rows.size(), threads, part);
            for (std::int64_t i = mine.begin; i < mine.end; ++i) {
                const StoredRow row = rows.at(batch.rows.begin + i);
                double* out = staging.data() + (row.offset - batch.elements.begin);
                read_row(row.row, row.first_column, {out, static_cast<std::size_t>(row.columns)});
                std::fill(out + row.columns, out + row.padded, 0.0);
            }
        });
        memory.copy_now(as_bytes(View<const double>(staging)),
                        as_bytes(elements.part(batch.elements.begin, batch.elements.size())));
    });
}

void visit_rows(const StoredRows& rows, const VisitRow& visit_row, View<const double> elements,
                CudaMemory& memory) {
    for_batches(rows, memory, [&](const Batch& batch, View<double> staging) {
        memory.copy_now(as_bytes(elements.part(batch.elements.begin, batch.elements.size())),
                        as_bytes(staging));
        for (std::int64_t i = batch.rows.begin; i < batch.rows.end; ++i) {
            const StoredRow row = rows.at(i);
            visit_row(row.row, row.first_column,
                      {staging.data() + (row.offset - batch.elements.begin),
                       static_cast<std::size_t>(row.columns)});
        }
    });
}

}  // namespace quartet::device
