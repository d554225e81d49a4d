#include <algorithm>
#include <cstring>

#include "device/host/fft/host_ffts.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

using Point = std::complex<double>;

/// In each row k2 of the result, the k1 of each rank are contiguous: one copy for each.
class HostTranspose final : public Transpose {
  public:
    HostTranspose(const FourStepFft& shape, int threads)
        : shape_(shape),
          mine_(block_range(shape.points(), shape.ranks, shape.rank)),
          threads_(threads) {}

    void run(std::span<const View<const Point>> parts, View<Point> bins, Stream& stream) override;

  private:
    void copy_rows(const Range& rows, std::span<const View<const Point>> parts, Point* bins) const;

    FourStepFft shape_;
    Range mine_;
    int threads_;
};

void HostTranspose::run(std::span<const View<const Point>> parts, View<Point> bins,
                        Stream& stream) {
    check(std::ssize(parts) == shape_.ranks, "transpose: not a part from each rank");
    for (int from = 0; from < shape_.ranks; ++from) {
        const View<const Point>& part = parts[static_cast<std::size_t>(from)];
        require_host(part, natural_part_points(shape_, from, shape_.rank),
                     "transpose: a part of another size");
        require_apart(part, bins);
    }
    require_host(bins, mine_.size(), "transpose: not the size of the result");
    const auto work = [this, parts, to = bins.data()] {
        const std::int64_t first = mine_.begin / shape_.length;
        const std::int64_t rows = (mine_.end + shape_.length - 1) / shape_.length - first;
        system::parallel_parts(threads_, [=, this](int thread) {
            const Range share = block_range(rows, threads_, thread);
            copy_rows({first + share.begin, first + share.end}, parts, to);
        });
    };
    stream.enqueue(Phase::merge, "natural", work);
}

void HostTranspose::copy_rows(const Range& rows, std::span<const View<const Point>> parts,
                              Point* bins) const {
    for (int from = 0; from < shape_.ranks; ++from) {
        const Range columns = shape_.bins_of(from);
        const Point* part = parts[static_cast<std::size_t>(from)].data();
        const std::int64_t before = bins_below(shape_, from, mine_.begin);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t origin = row * shape_.length;
            const std::int64_t begin = std::max(origin + columns.begin, mine_.begin);
            const std::int64_t end = std::min(origin + columns.end, mine_.end);
            if (begin < end)
                std::memcpy(bins + (begin - mine_.begin),
                            part + (bins_below(shape_, from, begin) - before),
                            static_cast<std::size_t>(end - begin) * sizeof(Point));
        }
    }
}

}  // namespace

std::unique_ptr<Transpose> plan_host_transpose(const FourStepFft& shape, int threads) {
    require_valid(shape);
    return std::make_unique<HostTranspose>(shape, threads);
}

}  // namespace quartet::device
