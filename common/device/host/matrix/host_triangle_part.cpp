#include "device/host/matrix/host_linear_algebra.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "device/host/matrix/fetch_ahead.hpp"
#include "device/host/matrix/panel_packer.hpp"
#include "device/host/runtime/require_host.hpp"
#include "device/host/simd/simd.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

static_assert(group_columns == simd_width);

/// A ragged end of a vector, padded with zeros.
using End = std::array<double, group_columns>;

/// The parts of x that a thread reads, and of y to which it adds: whole groups in place, the ragged
/// end in copies padded with zeros.
struct Vectors {
    const double* x;
    double* y;
    std::int64_t size;
    alignas(Vector) End x_end{};
    alignas(Vector) End y_end{};

    [[nodiscard]] std::int64_t whole_groups() const { return size / group_columns; }
    [[nodiscard]] std::int64_t ragged() const { return size % group_columns; }
    [[nodiscard]] const double* x_group(std::int64_t group) const {
        static constexpr End zeros{};
        const std::int64_t whole = whole_groups();
        return group < whole    ? x + group * group_columns
               : group == whole ? x_end.data()
                                : zeros.data();
    }
};

Vectors begin_vectors(const double* x, double* y, std::int64_t size) {
    Vectors vectors{x, y, size};
    std::copy_n(x + size - vectors.ragged(), vectors.ragged(), vectors.x_end.begin());
    std::fill_n(y, size, 0.0);
    return vectors;
}

void finish(Vectors& vectors) {
    const std::int64_t ragged = vectors.ragged();
    for (std::int64_t i = 0; i < ragged; ++i)
        vectors.y[vectors.size - ragged + i] += vectors.y_end[static_cast<std::size_t>(i)];
}

// y = (A + its mirror image) x for one panel, read once: sixteen sums over its rows stay in
// registers, those over its columns go to y. The block on the diagonal is stored whole, and so
// counts once. One run through memory: two panels of eight rows at a time were measured to be no
// faster, one panel of eight rows 4% slower.
void multiply_panel(const double* panel, std::int64_t first_row, Vectors& vectors) {
    constexpr std::int64_t rows = triangle_panel_rows;
    constexpr std::int64_t diagonal_groups = rows / group_columns;
    Vector row_sums[rows] = {};
    std::array<double, rows> factors{};
    const std::int64_t there = std::min(rows, vectors.size - first_row);
    std::copy_n(vectors.x + first_row, there, factors.begin());

    std::int64_t group = first_row / group_columns;
    for (const std::int64_t end = group + diagonal_groups; group < end; ++group) {
        const UnalignedVector& columns = vector_at(vectors.x_group(group));
        for (std::int64_t row = 0; row < rows; ++row)
            row_sums[row] += vector_at(panel + row * group_columns) * columns;
        panel += rows * group_columns;
    }
    const auto add_group = [&](const UnalignedVector& columns, UnalignedVector& sums) {
        // Two chains of additions: one alone would wait for itself.
        Vector even = sums;
        Vector odd = {};
#pragma GCC unroll 16
        for (std::int64_t row = 0; row < rows; row += 2) {
            const double* line = panel + row * group_columns;
            fetch_ahead(line);
            fetch_ahead(line + group_columns);
            const Vector upper = vector_at(line);
            const Vector lower = vector_at(line + group_columns);
            row_sums[row] += upper * columns;
            row_sums[row + 1] += lower * columns;
            even += upper * factors[static_cast<std::size_t>(row)];
            odd += lower * factors[static_cast<std::size_t>(row) + 1];
        }
        sums = even + odd;
        panel += rows * group_columns;
    };
    for (; group < vectors.whole_groups(); ++group)
        add_group(vector_at(vectors.x + group * group_columns),
                  vector_at(vectors.y + group * group_columns));
    if (group == vectors.whole_groups() && vectors.ragged() > 0)
        add_group(vector_at(vectors.x_end.data()), vector_at(vectors.y_end.data()));
    for (std::int64_t row = 0; row < there; ++row)
        vectors.y[first_row + row] += sum_of(row_sums[row]);
}

/// A thread's panel and where its elements begin.
struct Place {
    std::int64_t panel;
    std::int64_t offset;
};

// Each thread's panels in the order of memory: distributed over the parts first, then a part's
// over the threads.
std::vector<std::vector<Place>> places(const TrianglePart& part, int threads) {
    const TrianglePanels panels{part.size};
    const SnakeDistribution to_parts{part.parts};
    const SnakeDistribution to_threads{threads};
    const std::int64_t mine = to_parts.count(part.part, panels.count());
    std::vector<std::vector<Place>> all(static_cast<std::size_t>(threads));
    std::int64_t offset = 0;
    for (int thread = 0; thread < threads; ++thread) {
        const std::int64_t count = to_threads.count(thread, mine);
        for (std::int64_t round = 0; round < count; ++round) {
            const std::int64_t panel = to_parts.index(part.part, to_threads.index(thread, round));
            all[static_cast<std::size_t>(thread)].push_back({panel, offset});
            offset += panels.panel_elements(panel);
        }
    }
    return all;
}

std::int64_t padded_elements(const TrianglePart& part) {
    const TrianglePanels panels{part.size};
    const SnakeDistribution to_parts{part.parts};
    std::int64_t sum = 0;
    for (std::int64_t round = 0; round < to_parts.count(part.part, panels.count()); ++round)
        sum += panels.panel_elements(to_parts.index(part.part, round));
    return sum;
}

class HostTrianglePart final : public MatrixShare {
  public:
    HostTrianglePart(const TrianglePart& part, int threads, Device& device)
        : panels_{part.size},
          threads_(threads),
          places_(places(part, threads)),
          elements_(allocate<double>(device, padded_elements(part))),
          sums_(allocate<double>(device, (threads - 1) * part.size)) {}

    void fill(const ReadRow& read_row) override;
    void multiply(View<const double> x, View<double> y, Stream& stream) override;
    void visit(const VisitRow& visit_row) const override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }

  private:
    void multiply_part(int thread, const double* x, double* y) const;
    void add_sums(double* y) const;
    [[nodiscard]] Panel panel(std::int64_t number) const;
    [[nodiscard]] const std::vector<Place>& places_of(int thread) const {
        return places_[static_cast<std::size_t>(thread)];
    }

    TrianglePanels panels_;
    int threads_;
    std::vector<std::vector<Place>> places_;  ///< by thread
    Buffer<double> elements_;
    Buffer<double> sums_;  ///< y of each thread but the first, which adds to the caller's
};

Panel HostTrianglePart::panel(std::int64_t number) const {
    const std::int64_t first = panels_.first_row(number);
    return {triangle_panel_rows,
            panels_.panel_elements(number) / (triangle_panel_rows * group_columns),
            first,
            first,
            std::min(triangle_panel_rows, panels_.size - first),
            panels_.size - first};
}

void HostTrianglePart::fill(const ReadRow& read_row) {
    double* elements = elements_.view().data();
    system::parallel_parts_that_throw(threads_, [&](int thread) {
        PanelPacker packer;
        for (const Place& place : places_of(thread))
            packer.pack(panel(place.panel), read_row, elements + place.offset);
    });
}

void HostTrianglePart::multiply_part(int thread, const double* x, double* y) const {
    Vectors vectors = begin_vectors(x, y, panels_.size);
    for (const Place& place : places_of(thread))
        multiply_panel(elements_.view().data() + place.offset, panels_.first_row(place.panel),
                       vectors);
    finish(vectors);
}

// Adds in the order of the threads, whichever thread adds.
void HostTrianglePart::add_sums(double* y) const {
    const double* sums = sums_.view().data();
    system::parallel_for(threads_, panels_.size, [=, this](std::int64_t i) {
        for (std::int64_t thread = 0; thread < threads_ - 1; ++thread)
            y[i] += sums[thread * panels_.size + i];
    });
}

void HostTrianglePart::multiply(View<const double> x, View<double> y, Stream& stream) {
    require_host(x, panels_.size, "multiply: x does not have as many elements as A columns");
    require_host(y, panels_.size, "multiply: y does not have as many elements as A rows");
    require_apart(x, y);
    const auto work = [this, in = x.data(), out = y.data(), more = sums_.view().data()] {
        system::parallel_parts(threads_, [=, this](int thread) {
            multiply_part(thread, in, thread == 0 ? out : more + (thread - 1) * panels_.size);
        });
        if (threads_ > 1)
            add_sums(out);
    };
    stream.enqueue(Phase::compute, "triangle product", work);
}

void HostTrianglePart::visit(const VisitRow& visit_row) const {
    std::vector<double> row;
    for (int thread = 0; thread < threads_; ++thread) {
        for (const Place& place : places_of(thread)) {
            const Panel shape = panel(place.panel);
            for (std::int64_t index = 0; index < shape.rows; ++index) {
                row.resize(static_cast<std::size_t>(shape.columns - index));
                unpack(shape, elements_.view().data() + place.offset, index, index, row);
                visit_row(shape.first_row + index, shape.first_row + index, row);
            }
        }
    }
}

void require_sound(const TrianglePart& part) {
    check(part.size >= 0 && part.parts >= 1 && part.part >= 0 && part.part < part.parts,
          "no such part of a triangle");
}

}  // namespace

std::unique_ptr<MatrixShare> make_host_triangle_part(const TrianglePart& part, int threads,
                                                     Device& device) {
    require_sound(part);
    return std::make_unique<HostTrianglePart>(part, threads, device);
}

Bytes host_triangle_part_memory(const TrianglePart& part, int threads) {
    require_sound(part);
    return bytes_of<double>(padded_elements(part) + (threads - 1) * part.size);
}

}  // namespace quartet::device
