#include "device/host/matrix/host_linear_algebra.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "core/fastest.hpp"
#include "device/host/matrix/panel_packer.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

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

constexpr MemoryWay triangle_ways[] = {{1, Fetch::ahead}, {1, Fetch::once}, {1, Fetch::twice}};

class HostTrianglePart final : public MatrixShare {
  public:
    HostTrianglePart(const TrianglePart& part, int threads, const MatrixLoops& loops,
                     Device& device)
        : panels_{part.size},
          threads_(threads),
          loops_(loops),
          device_(device),
          places_(places(part, threads)),
          elements_(allocate<double>(device, padded_elements(part))),
          sums_(allocate<double>(device, (threads - 1) * part.size)) {}

    void fill(const ReadRow& read_row) override;
    void choose_way() override;
    void multiply(View<const double> x, View<double> y, Stream& stream) override;
    void visit(const VisitRow& visit_row) const override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override {
        return "matrix in " + to_string(way_);
    }

  private:
    void multiply_places(std::span<const Place> places, MemoryWay way, const double* x,
                         double* y) const;
    /// Where that thread adds up its part of y; the first one uses the caller's.
    double* sums_of(int thread, double* y) {
        return thread == 0 ? y : sums_.view().data() + (thread - 1) * panels_.size;
    }
    void add_sums(double* y) const;
    [[nodiscard]] Panel panel(std::int64_t number) const;
    [[nodiscard]] const std::vector<Place>& places_of(int thread) const {
        return places_[static_cast<std::size_t>(thread)];
    }

    TrianglePanels panels_;
    int threads_;
    const MatrixLoops& loops_;
    Device& device_;
    MemoryWay way_ = triangle_ways[0];
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

void HostTrianglePart::multiply_places(std::span<const Place> places, MemoryWay way,
                                       const double* x, double* y) const {
    for (const Place& place : places)
        loops_.multiply_triangle(
            {elements_.view().data() + place.offset, panels_.first_row(place.panel)}, way.fetch, x,
            y, panels_.size);
}

// Each trial multiplies some of each thread's panels, all threads at once. Panels get shorter, so
// the time of an element counts.
void HostTrianglePart::choose_way() {
    const std::size_t least = std::ranges::min(places_, {}, &std::vector<Place>::size).size();
    if (least == 0)
        return;
    const auto x = allocate<double>(device_, panels_.size);
    auto y = allocate<double>(device_, panels_.size);
    constexpr auto ways = std::size(triangle_ways);
    constexpr std::int64_t piece_elements = mebibytes(4).value / sizeof(double);
    const auto piece = std::min(least, static_cast<std::size_t>(divide_up(
                                           piece_elements, triangle_panel_rows * panels_.size)));
    const auto pieces = static_cast<std::int64_t>(least / piece);
    const auto time_piece = [&](std::size_t way, std::int64_t round) {
        const auto first = piece * static_cast<std::size_t>(trial_piece(way, ways, round, pieces));
        const Seconds begin = now();
        system::parallel_parts(threads_, [&, this](int thread) {
            multiply_places(std::span(places_of(thread)).subspan(first, piece), triangle_ways[way],
                            x.view().data(), sums_of(thread, y.view().data()));
        });
        const Seconds time = now() - begin;
        std::int64_t elements = 0;
        for (const Place& place : std::span(places_of(0)).subspan(first, piece))
            elements += panels_.panel_elements(place.panel);
        return time / static_cast<double>(elements);
    };
    way_ = triangle_ways[fastest(ways, choice_time, time_piece)];
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
    const auto work = [this, in = x.data(), out = y.data()] {
        system::parallel_parts(threads_, [=, this](int thread) {
            double* const sums = sums_of(thread, out);
            std::fill_n(sums, panels_.size, 0.0);
            multiply_places(places_of(thread), way_, in, sums);
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
                                                     const MatrixLoops& loops, Device& device) {
    require_sound(part);
    return std::make_unique<HostTrianglePart>(part, threads, loops, device);
}

Bytes host_triangle_part_memory(const TrianglePart& part, int threads) {
    require_sound(part);
    return bytes_of<double>(padded_elements(part) + (threads - 1) * part.size);
}

}  // namespace quartet::device
