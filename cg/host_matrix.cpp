#include <algorithm>
#include <initializer_list>
#include <span>
#include <vector>

#include "cg/loops.hpp"
#include "cg/matrix.hpp"
#include "cg/matrix_layout.hpp"
#include "core/fastest.hpp"
#include "device/host/host_vectors.hpp"
#include "device/host/runtime/require_host.hpp"

namespace quartet::cg {

namespace {

/// A panel of a matrix as matrix_layout.hpp stores it: its position in the matrix and its extents.
/// All beyond `rows` and `columns` is padding.
struct Panel {
    std::int64_t panel_rows = 0;  ///< padding included
    std::int64_t groups = 0;      ///< padding included
    std::int64_t first_row = 0;
    std::int64_t first_column = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// Reorders rows into panels. One per thread.
class PanelPacker {
  public:
    /// Reads the panel's rows and writes all of its padded elements.
    void pack(const Panel& panel, const ReadRow& read_row, double* elements);

  private:
    std::vector<double> rows_;  ///< some columns of a panel's rows, row after row
};

// Columns at a time: rows of a panel that stay in a core's cache while they are put in order, and
// runs of a file that are long enough to be read at full speed.
constexpr std::int64_t chunk = 2048;
static_assert(chunk % group_columns == 0);

void PanelPacker::pack(const Panel& panel, const ReadRow& read_row, double* elements) {
    rows_.resize(static_cast<std::size_t>(panel.panel_rows * chunk));
    for (std::int64_t begin = 0; begin < panel.groups * group_columns; begin += chunk) {
        const std::int64_t there = std::clamp<std::int64_t>(panel.columns - begin, 0, chunk);
        const std::int64_t groups = std::min(chunk / group_columns,  //
                                             panel.groups - begin / group_columns);
        std::ranges::fill(rows_, 0.0);
        for (std::int64_t row = 0; row < panel.rows && there > 0; ++row)
            read_row(panel.first_row + row, panel.first_column + begin,
                     std::span(rows_).subspan(static_cast<std::size_t>(row * chunk),
                                              static_cast<std::size_t>(there)));
        double* out = elements + index_in_panel(panel.panel_rows, 0, begin);
        for (std::int64_t group = 0; group < groups; ++group)
            for (std::int64_t row = 0; row < panel.panel_rows; ++row)
                out = std::copy_n(rows_.data() + row * chunk + group * group_columns, group_columns,
                                  out);
    }
}

constexpr device::MemoryWay row_ways[] = {{1, device::Fetch::ahead}, {1, device::Fetch::once},
                                          {2, device::Fetch::ahead}, {2, device::Fetch::once},
                                          {4, device::Fetch::ahead}, {4, device::Fetch::once},
                                          {4, device::Fetch::twice}};

/// A row block in the host's panels, each thread with a run of them.
class HostRowBlock final : public MatrixShare {
  public:
    HostRowBlock(const RowBlock& block, int threads, const Loops& loops, device::Device& device)
        : block_(block),
          panels_{block.rows, block.columns},
          threads_(threads),
          loops_(loops),
          device_(device),
          elements_(device::allocate<double>(device, panels_.padded_elements())) {}

    void fill(const ReadRow& read_row) override;
    void choose_way() override;
    void multiply(device::View<const double> x, device::View<double> y,
                  device::Stream& stream) override;
    [[nodiscard]] device::View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override {
        return "matrix in " + device::to_string(way_);
    }

  private:
    [[nodiscard]] Panel panel(std::int64_t number) const;
    [[nodiscard]] Range panels_of(int thread) const {
        return block_range(panels_.count(), threads_, thread);
    }
    [[nodiscard]] RowPanelShare share(const Range& panels) const;
    [[nodiscard]] const double* elements(std::int64_t number) const {
        return elements_.view().data() + number * panels_.panel_elements();
    }

    RowBlock block_;
    RowPanels panels_;
    int threads_;
    const Loops& loops_;
    device::Device& device_;
    device::MemoryWay way_ = row_ways[0];
    device::Buffer<double> elements_;
};

Panel HostRowBlock::panel(std::int64_t number) const {
    const std::int64_t first = number * row_panel_rows;
    return {row_panel_rows,
            panels_.groups(),
            block_.first_row + first,
            0,
            std::min(row_panel_rows, block_.rows - first),
            block_.columns};
}

void HostRowBlock::fill(const ReadRow& read_row) {
    system::parallel_parts_that_throw(threads_, [&](int part) {
        PanelPacker packer;
        const Range mine = panels_of(part);
        for (std::int64_t number = mine.begin; number < mine.end; ++number)
            packer.pack(panel(number), read_row,
                        elements_.view().data() + number * panels_.panel_elements());
    });
}

RowPanelShare HostRowBlock::share(const Range& panels) const {
    const std::int64_t first = panels.begin * row_panel_rows;
    const std::int64_t end = std::min(panels.end * row_panel_rows, block_.rows);
    return {elements(panels.begin), block_.columns, end - first};
}

// Each trial multiplies a piece of each thread's panels, all threads at once.
void HostRowBlock::choose_way() {
    if (block_.rows == 0 || block_.columns == 0)
        return;
    const auto x = device::allocate<double>(device_, block_.columns);
    auto y = device::allocate<double>(device_, block_.rows);
    constexpr auto ways = std::size(row_ways);
    constexpr std::int64_t piece_elements = mebibytes(4).value / sizeof(double);
    constexpr std::int64_t most_streams = 4;
    const std::int64_t piece =
        most_streams * divide_up(piece_elements, most_streams * panels_.panel_elements());
    const std::int64_t pieces = std::max<std::int64_t>(1, panels_.count() / threads_ / piece);
    const auto time_piece = [&](std::size_t way, std::int64_t round) {
        const std::int64_t skipped = piece * trial_piece(way, ways, round, pieces);
        const Seconds begin = now();
        system::parallel_parts(threads_, [&, this](int thread) {
            const Range mine = panels_of(thread);
            const std::int64_t first = mine.begin + skipped;
            loops_.multiply_rows(share({first, std::min(first + piece, mine.end)}), row_ways[way],
                                 x.view().data(), y.view().data() + first * row_panel_rows);
        });
        return now() - begin;
    };
    way_ = row_ways[fastest(ways, choice_time, time_piece)];
}

void HostRowBlock::multiply(device::View<const double> x, device::View<double> y,
                            device::Stream& stream) {
    device::require_host(x, block_.columns,
                         "multiply: x does not have as many elements as A columns");
    device::require_host(y, block_.rows,
                         "multiply: y does not have as many elements as the block rows");
    device::require_apart(x, y);
    const auto work = [this, in = x.data(), out = y.data()] {
        system::parallel_parts(threads_, [=, this](int part) {
            const Range mine = panels_of(part);
            loops_.multiply_rows(share(mine), way_, in, out + mine.begin * row_panel_rows);
        });
    };
    stream.enqueue(Phase::compute, "row block product", work);
}

void require_sound(const RowBlock& block) {
    check(block.first_row >= 0 && block.rows >= 0 && block.columns >= 0,
          "a row block of a negative size");
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

constexpr device::MemoryWay triangle_ways[] = {
    {1, device::Fetch::ahead}, {1, device::Fetch::once}, {1, device::Fetch::twice}};

/// A part of a triangle in the host's panels. These are distributed over parts, and those of a part
/// over the threads; each thread has one run of memory.
class HostTrianglePart final : public MatrixShare {
  public:
    HostTrianglePart(const TrianglePart& part, int threads, const Loops& loops,
                     device::Device& device)
        : panels_{part.size},
          threads_(threads),
          loops_(loops),
          device_(device),
          places_(places(part, threads)),
          elements_(device::allocate<double>(device, padded_elements(part))),
          sums_(device::allocate<double>(device, (threads - 1) * part.size)) {}

    void fill(const ReadRow& read_row) override;
    void choose_way() override;
    void multiply(device::View<const double> x, device::View<double> y,
                  device::Stream& stream) override;
    [[nodiscard]] device::View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override {
        return "matrix in " + device::to_string(way_);
    }

  private:
    void multiply_places(std::span<const Place> places, device::MemoryWay way, const double* x,
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
    const Loops& loops_;
    device::Device& device_;
    device::MemoryWay way_ = triangle_ways[0];
    std::vector<std::vector<Place>> places_;  ///< by thread
    device::Buffer<double> elements_;
    device::Buffer<double> sums_;  ///< y of each thread but the first, which adds to the caller's
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

void HostTrianglePart::multiply_places(std::span<const Place> places, device::MemoryWay way,
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
    const auto x = device::allocate<double>(device_, panels_.size);
    auto y = device::allocate<double>(device_, panels_.size);
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

void HostTrianglePart::multiply(device::View<const double> x, device::View<double> y,
                                device::Stream& stream) {
    device::require_host(x, panels_.size,
                         "multiply: x does not have as many elements as A columns");
    device::require_host(y, panels_.size, "multiply: y does not have as many elements as A rows");
    device::require_apart(x, y);
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

void require_sound(const TrianglePart& part) {
    check(part.size >= 0 && part.parts >= 1 && part.part >= 0 && part.part < part.parts,
          "no such part of a triangle");
}

/// Throws Failure if any two of the views share an element.
void require_all_apart(std::initializer_list<device::View<const double>> views) {
    for (auto one = views.begin(); one != views.end(); ++one)
        for (auto other = views.begin(); other != one; ++other)
            device::require_apart(*one, *other);
}

const Loops& loops_on(const device::Device& device) {
    return device::loops_of(device.isa(), compiled_loops());
}

}  // namespace

std::unique_ptr<MatrixShare> make_matrix(device::Device& device, const RowBlock& block) {
    if (device.accelerator() != nullptr)
        return make_cuda_matrix(device, block);
    require_sound(block);
    return std::make_unique<HostRowBlock>(block, device.threads(), loops_on(device), device);
}

std::unique_ptr<MatrixShare> make_matrix(device::Device& device, const TrianglePart& part) {
    if (device.accelerator() != nullptr)
        return make_cuda_matrix(device, part);
    require_sound(part);
    return std::make_unique<HostTrianglePart>(part, device.threads(), loops_on(device), device);
}

Bytes matrix_memory(device::Device& device, const RowBlock& block) {
    if (device.accelerator() != nullptr)
        return cuda_matrix_memory(block);
    require_sound(block);
    return bytes_of<double>(RowPanels{block.rows, block.columns}.padded_elements());
}

Bytes matrix_memory(device::Device& device, const TrianglePart& part) {
    if (device.accelerator() != nullptr)
        return cuda_matrix_memory(part);
    require_sound(part);
    return bytes_of<double>(padded_elements(part) + (device.threads() - 1) * part.size);
}

void update(device::Device& device, double alpha, const ClassicVectors& vectors,
            device::View<double> result, device::Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    for (const device::View<const double>& vector : {p, q, device::View<const double>(x)})
        check(vector.size() == r.size(), "update: vectors differ in size");
    check(result.size() == 1, "update: the result must have one element");
    require_all_apart({p, q, x, r});
    if (device.accelerator() != nullptr)
        return cuda_update(alpha, vectors, result, stream);
    for (const device::View<const double>& vector :
         {p, q, device::View<const double>(x), device::View<const double>(r)})
        device::require_host(vector);
    device::require_host(result);
    const auto work = [alpha, parts = device.threads(), loop = loops_on(device).update,
                       size = r.size(), direction = p.data(), product = q.data(),
                       solution = x.data(), residual = r.data(), out = result.data()] {
        *out = device::sum_of_parts(parts, size, [=](const Range& range) {
            const std::int64_t i = range.begin;
            return loop(alpha, direction + i, product + i, solution + i, residual + i,
                        range.size());
        });
    };
    stream.enqueue(Phase::compute, "update x, r", work);
}

}  // namespace quartet::cg
